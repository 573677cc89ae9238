import { type Code, EMPTY_CODE } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { StorageChange } from '../../state/state-changes.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG, SLOT } from './protocol.ts';

/** Writes all that the message changed to the overlay. Gives the addresses of contracts that ended. */
export function writeBack(machine: Machine, state: Overlay): Uint8Array[] {
  const { exports, memory } = machine;
  const list = exports.listChanges();
  memory.refresh();
  const accountCount = Number(machine.cell(0));
  const end = list + 4 * (accountCount + Number(machine.cell(1)));
  const slots = changedSlots(machine, list + 4 * accountCount, end);
  const ended: Uint8Array[] = [];
  for (let index = 0; index < accountCount; index++) {
    const account = memory.number(list + 4 * index);
    const address = machine.addressOf(account);
    if (machine.hasFlag(account, FLAG.ended)) ended.push(address);
    if (!machine.hasFlag(account, FLAG.exists)) {
      if (state.account(address) !== undefined) state.deleteAccount(address);
      continue;
    }
    state.write(address, viewOf(machine, account, state, address), slots.get(account) ?? []);
    slots.delete(account);
  }
  for (const [account, changes] of slots) state.writeStorage(machine.addressOf(account), changes);
  exports.releaseMadeCode();
  return ended;
}

function viewOf(machine: Machine, account: number, state: Overlay, address: Uint8Array) {
  const code = machine.hasFlag(account, FLAG.codeSet)
    ? newCode(machine, account)
    : (state.account(address)?.code ?? EMPTY_CODE);
  return { nonce: machine.nonce(account), balance: machine.balance(account), code };
}

function newCode(machine: Machine, account: number): Code {
  const { memory, exports } = machine;
  const length = memory.number(account + ACCOUNT.codeLength);
  if (length === 0) return EMPTY_CODE;
  const raw = exports.rawCodeOf(account);
  memory.refresh();
  return { bytes: memory.copy(raw, length), hash: memory.copy(account + ACCOUNT.codeHash, 32) };
}

/** The changes of the slots listed, by the account they belong to. */
function changedSlots({ memory }: Machine, start: number, end: number): Map<number, StorageChange[]> {
  const byAccount = new Map<number, StorageChange[]>();
  for (let place = start; place < end; place += 4) {
    const slot = memory.number(place);
    const account = memory.number(slot + SLOT.owner);
    const change = {
      slot: memory.wordBytes(slot + SLOT.key, 32),
      value: memory.shortWordBytes(slot + SLOT.current),
    };
    const changes = byAccount.get(account);
    if (changes === undefined) byAccount.set(account, [change]);
    else changes.push(change);
  }
  return byAccount;
}
