/** The end of a message: its removals and changes are listed, and kept or reverted. */

import { flagsOf, hasFlag, isEmpty, ripemdTouched } from './accounts';
import { allocate, enlarge } from './allocator';
import { eq, isZero, setU64, writeBigEndian } from './u256';
import { Account, Flag, Rule, Slot, SlotChange } from './generated/protocol';
import { Change, clearJournal, journalEnd, journalStart, revertTo } from './journal';
import { keccak256 } from './keccak';
import { CELLS, holds, JOURNALED_SIZE } from './layout';
import { epoch } from './registers';

const FIRST_SIZE: u32 = 1 << 12;

/** The list of changes for the host: copies of account records, then slots. */
let list: usize = 0;
let listSize: u32 = 0;
let listUsed: u32 = 0;

/** Reserves bytes at the end of the list. */
function extend(bytes: u32): usize {
  if (listUsed + bytes > listSize) {
    const wanted = max<u32>(FIRST_SIZE, (listUsed + bytes) * 2);
    list = listSize ? enlarge(list, listSize, listUsed, wanted) : allocate(wanted);
    listSize = wanted;
  }
  const room = list + listUsed;
  listUsed += bytes;
  return room;
}

/** Returns the end of the record before the one that ends at `end`. */
@inline
function before(end: usize): usize {
  const kind = load<i32>(end - 4);
  if (kind == Change.ACCOUNT) return end - 8 - JOURNALED_SIZE;
  return kind == Change.SLOT ? end - 40 : end - 8;
}

/**
 * Removes accounts that the message destroyed or left empty, and lists its changes. Returns the address of the list; `CELLS`
 * hold the numbers of its bytes that are accounts and slots.
 */
export function listChanges(): usize {
  listUsed = 0;
  const start = journalStart();
  for (let end = journalEnd(); end > start; end = before(end)) {
    const account = <usize>load<u32>(end - 8);
    if (load<i32>(end - 4) == Change.ACCOUNT) appendAccount(account);
  }
  if (ripemdTouched) appendAccount(ripemdTouched);
  const accounts = listUsed;
  for (let end = journalEnd(); end > start; end = before(end)) {
    const slot = <usize>load<u32>(end - 8);
    if (load<i32>(end - 4) == Change.SLOT) appendSlot(slot);
  }
  store<u64>(CELLS, accounts);
  store<u64>(CELLS, listUsed - accounts, 8);
  return list;
}

function appendAccount(account: usize): void {
  if (load<u32>(account, Account.LISTED_IN) == epoch) return;
  store<u32>(account, epoch, Account.LISTED_IN);
  const isOver = hasFlag(account, Flag.ENDED) && (!holds(Rule.ENDS_ONLY_CREATED) || hasFlag(account, Flag.CREATED));
  if (isOver && holds(Rule.REMOVED_BALANCE_STAYS) && !isZero(account + Account.BALANCE)) removeCode(account);
  else if (isOver || (holds(Rule.CLEARS_EMPTY) && isEmpty(account))) remove(account);
  memory.copy(extend(<u32>Account.SIZE), account, Account.SIZE);
}

function remove(account: usize): void {
  setU64(account + Account.BALANCE, 0);
  removeCode(account);
  store<u32>(account, flagsOf(account) & ~(Flag.EXISTS | Flag.CODE_SET), Account.FLAGS);
}

/** Removes all of an account but its balance (EIP-8246). */
function removeCode(account: usize): void {
  store<u64>(account, 0, Account.NONCE);
  store<u32>(account, 0, Account.CODE_LENGTH);
  store<u32>(account, 0, Account.CODE_TICK);
  keccak256(account, 0, account + Account.CODE_HASH);
  store<u32>(account, load<u32>(account, Account.GENERATION) + 1, Account.GENERATION);
  const kept = flagsOf(account) & (Flag.EXISTS | Flag.PRECOMPILE | Flag.CONSOLE | Flag.STEPPED | Flag.STEPPED_IF_LONG | Flag.ENDED);
  store<u32>(account, kept | Flag.STORAGE_EMPTY | Flag.CODE_SET, Account.FLAGS);
}

function appendSlot(slot: usize): void {
  const owner = <usize>load<u32>(slot, Slot.OWNER);
  if (owner & 1 || load<u32>(slot, Slot.LISTED_IN) == epoch) return;
  store<u32>(slot, epoch, Slot.LISTED_IN);
  if (load<u32>(slot, Slot.GENERATION) != load<u32>(owner, Account.GENERATION)) return;
  if (eq(slot + Slot.CURRENT, slot + Slot.ORIGINAL)) return;
  const change = extend(<u32>SlotChange.SIZE);
  writeBigEndian(slot + Slot.KEY, change + SlotChange.KEY);
  writeBigEndian(slot + Slot.CURRENT, change + SlotChange.VALUE);
  writeBigEndian(owner + Account.ADDRESS, change + SlotChange.OWNER);
}

/** Keeps the changes: the listed ones are part of the state from now on. */
export function keepChanges(): void {
  const start = journalStart();
  for (let end = journalEnd(); end > start; end = before(end)) {
    const account = <usize>load<u32>(end - 8);
    if (load<i32>(end - 4) == Change.ACCOUNT) {
      store<u32>(account, flagsOf(account) & ~(Flag.CREATED | Flag.ENDED | Flag.TAKEN | Flag.CODE_SET), Account.FLAGS);
    }
  }
  clearJournal();
}

/** Reverts all changes. */
export function dropChanges(): void {
  revertTo(0);
}
