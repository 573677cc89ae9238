import { EMPTY_BYTES, equalBytes } from '../../primitives/bytes.ts';
import type { StorageChange } from '../../state/account.ts';
import { type Code, EMPTY_CODE } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import { LinearMemory } from './linear-memory.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG, SLOT_CHANGE } from './protocol.ts';

const WORD_SIZE = 32;
/** Where the address begins in a word that holds one. */
const ADDRESS_START = 12;

/** Returns the bytes from `start` on that are not leading zeros, up to 32. */
function valueAt(bytes: Uint8Array, start: number): Uint8Array {
  const end = start + WORD_SIZE;
  let first = start;
  while (first < end && bytes[first] === 0) first++;
  return first === end ? EMPTY_BYTES : bytes.slice(first, end);
}

/** The changes of a message: a copy that stays valid when the machine continues with something else. */
export class MessageChanges {
  readonly #accounts: LinearMemory;
  readonly #slots: Uint8Array;
  /** Code that the message deployed, by the index of its account. */
  readonly #code = new Map<number, Code>();

  /** Copies the changes of the machine's message, which has ended. */
  constructor(machine: Machine) {
    const { exports, memory } = machine;
    const list = exports.listChanges();
    memory.refresh();
    const accountsEnd = list + Number(machine.cell(0));
    const slotsEnd = accountsEnd + Number(machine.cell(1));
    this.#accounts = new LinearMemory({ buffer: memory.bytes.slice(list, accountsEnd).buffer });
    this.#slots = memory.copy(accountsEnd, slotsEnd - accountsEnd);
    for (let place = 0; place < accountsEnd - list; place += ACCOUNT.size) {
      if (this.#hasFlag(place, FLAG.codeSet)) this.#code.set(place, this.#newCode(machine, place));
    }
    exports.releaseMadeCode();
  }

  /** The addresses (20 bytes) of destroyed contracts. */
  get ended(): Uint8Array[] {
    const ended: Uint8Array[] = [];
    for (let place = 0; place < this.#accounts.bytes.length; place += ACCOUNT.size) {
      if (this.#hasFlag(place, FLAG.ended)) ended.push(this.#accounts.wordBytes(place, 20));
    }
    return ended;
  }

  /** Applies the changes. */
  applyTo(state: Overlay): void {
    for (let place = 0; place < this.#accounts.bytes.length; place += ACCOUNT.size)
      this.#writeAccount(state, place);
    let start = 0;
    while (start < this.#slots.length) start = this.#writeSlots(state, start);
  }

  #writeAccount(state: Overlay, place: number): void {
    const accounts = this.#accounts;
    const address = accounts.wordBytes(place, 20);
    const before = state.account(address);
    if (!this.#hasFlag(place, FLAG.exists)) {
      if (before !== undefined) state.deleteAccount(address);
      return;
    }
    const code = this.#code.get(place) ?? before?.code ?? EMPTY_CODE;
    const nonce = accounts.limb(place + ACCOUNT.nonce);
    const balance = accounts.word(place + ACCOUNT.balance);
    if (before?.nonce === nonce && before.balance === balance && before.code === code) return;
    state.write(address, { nonce, balance, code });
  }

  /** Writes the consecutive slots of one account. Returns the index of the first slot of the next one. */
  #writeSlots(state: Overlay, first: number): number {
    const slots = this.#slots;
    const ownerOf = (start: number): Uint8Array =>
      slots.subarray(start + SLOT_CHANGE.owner + ADDRESS_START, start + SLOT_CHANGE.owner + WORD_SIZE);
    const owner = ownerOf(first);
    const changes: StorageChange[] = [];
    let start = first;
    do {
      changes.push({
        slot: slots.slice(start + SLOT_CHANGE.key, start + SLOT_CHANGE.key + WORD_SIZE),
        value: valueAt(slots, start + SLOT_CHANGE.value),
      });
      start += SLOT_CHANGE.size;
    } while (start < slots.length && equalBytes(ownerOf(start), owner));
    state.writeStorage(owner.slice(), changes);
    return start;
  }

  #hasFlag(place: number, flag: number): boolean {
    return (this.#accounts.number(place + ACCOUNT.flags) & flag) !== 0;
  }

  #newCode(machine: Machine, place: number): Code {
    const length = this.#accounts.number(place + ACCOUNT.codeLength);
    if (length === 0) return EMPTY_CODE;
    const account = machine.account(this.#accounts.wordBytes(place, 20));
    const raw = machine.exports.rawCodeOf(account);
    machine.memory.refresh();
    return {
      bytes: machine.memory.copy(raw, length),
      hash: this.#accounts.copy(place + ACCOUNT.codeHash, 32),
    };
  }
}
