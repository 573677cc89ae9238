/** The end of a message: applies its removals, lists its changes, and keeps or reverts them. */

import { flagsOf, hasFlag, isEmpty, ripemdTouched } from './accounts';
import { allocate, enlarge, enlargeReserved, reserve, useMore } from './allocator';
import { copy, eq, isZero, setU64, writeBigEndian } from './u256';
import { Account, Flag, Result, Rule, Slot, SlotChange } from './generated/protocol';
import { Change, clearJournal, journalEnd, journalStart, revertTo } from './journal';
import { keccak256 } from './keccak';
import { holds, JOURNALED_SIZE, RESULT } from './layout';
import { epoch } from './registers';

const FIRST_SIZE: u32 = 1 << 12;

/** The list of changes for the host: copies of account records, followed by slots. */
let list: usize = 0;
/** Bytes of the list that may be used, and bytes reserved. */
let listSize: u32 = 0;
let listRoom: u32 = 0;
let listUsed: u32 = 0;

/**
 * Above this size in bytes, space for the whole journal is reserved, because moving large buffers is slow and
 * reserved memory is free until used.
 */
const MOVED_LIST: u32 = 2 << 20;

/** Maximum bytes of the list per byte of the journal (reached by slots). */
const LISTED_FOR_BYTE: u32 = <u32>SlotChange.SIZE / 40 + 1;

function makeRoom(needed: u32): void {
  if (needed < MOVED_LIST) {
    const wanted = max<u32>(FIRST_SIZE, needed * 2);
    list = listRoom ? enlarge(list, listRoom, listUsed, wanted) : allocate(wanted);
    listRoom = wanted;
    listSize = wanted;
    return;
  }
  if (needed > listRoom) {
    const most = <u32>(journalEnd() - journalStart()) * LISTED_FOR_BYTE + FIRST_SIZE;
    const wanted = max<u32>(needed, most);
    list = listRoom ? enlargeReserved(list, listRoom, listUsed, wanted) : reserve(wanted);
    listRoom = wanted;
    listSize = listUsed;
  }
  listSize = useMore(listSize, listRoom, needed);
}

/** Appends bytes to the list. */
function extend(bytes: u32): usize {
  if (listUsed + bytes > listSize) makeRoom(listUsed + bytes);
  const room = list + listUsed;
  listUsed += bytes;
  return room;
}

/** Returns the end of the record before the record that ends at `end`. */
@inline
function before(end: usize): usize {
  const kind = load<i32>(end - 4);
  if (kind == Change.ACCOUNT) return end - 8 - JOURNALED_SIZE;
  return kind == Change.SLOT ? end - 40 : end - 8;
}

/** The end of the record to list next; 0 if listing has not started. */
let next: usize = 0;
/** The size of the listed accounts in bytes, once all are listed. */
let accountBytes: u32 = 0;
let listsSlots: bool = false;

/**
 * Removes accounts that the message destroyed or left empty, and lists its changes. Processes `count` journal
 * records. Returns 0 if more records remain; otherwise the address of the list, with its sizes in `RESULT`.
 */
export function listChanges(count: u32): usize {
  const start = journalStart();
  if (next == 0) {
    listUsed = 0;
    listsSlots = false;
    next = journalEnd();
  }
  if (!listsSlots) {
    for (; next > start; next = before(next)) {
      if (count-- == 0) return 0;
      if (load<i32>(next - 4) == Change.ACCOUNT) appendAccount(<usize>load<u32>(next - 8));
    }
    if (ripemdTouched) appendAccount(ripemdTouched);
    accountBytes = listUsed;
    listsSlots = true;
    next = journalEnd();
  }
  for (; next > start; next = before(next)) {
    if (count-- == 0) return 0;
    if (load<i32>(next - 4) == Change.SLOT) appendSlot(<usize>load<u32>(next - 8));
  }
  next = 0;
  store<u32>(RESULT, accountBytes, Result.ACCOUNT_BYTES);
  store<u32>(RESULT, listUsed - accountBytes, Result.SLOT_BYTES);
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

const EMPTY_HASH: usize = memory.data(32, 16);
let isHashed: bool = false;

/** Returns the address of the empty code hash, computed once for all removed accounts. */
function emptyHash(): usize {
  if (!isHashed) keccak256(EMPTY_HASH, 0, EMPTY_HASH);
  isHashed = true;
  return EMPTY_HASH;
}

/** Removes everything except the balance (EIP-8246). */
function removeCode(account: usize): void {
  store<u64>(account, 0, Account.NONCE);
  store<u32>(account, 0, Account.CODE_LENGTH);
  store<u32>(account, 0, Account.CODE_TICK);
  copy(emptyHash(), account + Account.CODE_HASH);
  store<u32>(account, load<u32>(account, Account.GENERATION) + 1, Account.GENERATION);
  const kept =
    flagsOf(account) &
    (Flag.EXISTS | Flag.PRECOMPILE | Flag.BUILT_IN | Flag.CONSOLE | Flag.STEPPED | Flag.STEPPED_IF_LONG | Flag.ENDED);
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

/** Makes the listed changes part of the state. */
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
