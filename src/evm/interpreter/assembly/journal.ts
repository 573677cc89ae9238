/**
 * Journal of the changes of the message, to revert them.
 *
 * A record contains the old value, followed by 8 bytes: the address of the changed item and its kind. The
 * newest record is last, and records are read from their end. At the end of a message, the journal also lists
 * all changed items.
 */

import { allocate, enlarge, enlargeReserved, useMore } from './allocator';
import { outOfMemory } from './host';
import { Account, Slot } from './generated/protocol';
import { JOURNALED_SIZE } from './layout';
import { copy } from './u256';

export const enum Change {
  ACCOUNT = 0,
  SLOT = 1,
  /** A 32-bit field with the number of the message that warmed an item. */
  WARMTH = 2,
}

const FIRST_SIZE: u32 = 1 << 14;
/** Maximum size of the journal in bytes: more than a billion gas can buy. */
const MAX_JOURNAL: u32 = 384 << 20;
/** Above this size (bytes), the maximum is reserved, because moving is slow and reserving is free. */
const MOVED_JOURNAL: u32 = 2 << 20;
const MAX_RECORD: u32 = <u32>JOURNALED_SIZE + 8;

let start: usize = 0;
/** Bytes that may be used, and bytes reserved. */
let size: u32 = 0;
let room: u32 = 0;
let end: usize = 0;

/** Starts an empty journal. */
export function clearJournal(): void {
  if (start == 0) {
    start = allocate(FIRST_SIZE);
    size = FIRST_SIZE;
    room = FIRST_SIZE;
  }
  end = start;
}

/** Returns the length of the journal, for `revertTo`. */
@inline
export function journalMark(): u32 {
  return <u32>(end - start);
}

function makeRoom(): void {
  const used = <u32>(end - start);
  if (size >= MAX_JOURNAL) outOfMemory();
  if (size < MOVED_JOURNAL) {
    room = size * 2;
    start = enlarge(start, size, used, room);
    size = room;
  } else {
    if (room < MAX_JOURNAL) {
      start = enlargeReserved(start, room, used, MAX_JOURNAL);
      room = MAX_JOURNAL;
      size = used;
    }
    size = useMore(size, room, size);
  }
  end = start + used;
}

@inline
function close(subject: usize, kind: Change): void {
  store<u32>(end, <u32>subject);
  store<u32>(end, kind, 4);
  end += 8;
}

@inline
function ensureRoom(): void {
  if (<u32>(end - start) + MAX_RECORD > size) makeRoom();
}

/** Journals an account before a change. */
export function recordAccount(account: usize): void {
  ensureRoom();
  memory.copy(end, account + Account.BALANCE, JOURNALED_SIZE);
  end += JOURNALED_SIZE;
  close(account, Change.ACCOUNT);
}

/** Journals a slot before a write. */
@inline
export function recordSlot(slot: usize): void {
  ensureRoom();
  copy(slot + Slot.CURRENT, end);
  end += 32;
  close(slot, Change.SLOT);
}

/** Journals that the item at the address becomes warm. */
@inline
export function recordWarmth(field: usize): void {
  ensureRoom();
  close(field, Change.WARMTH);
}

/** Bytes of the journal to revert in one step (about a millisecond). */
const REVERTED_AT_ONCE: u32 = 1 << 20;

/** Returns true if reverting to the mark needs more than one step. */
@inline
export function isLongSince(mark: u32): bool {
  return journalMark() - mark > REVERTED_AT_ONCE;
}

/** Reverts the newest changes, as one of several steps. */
export function revertNewest(): void {
  revertTo(journalMark() - REVERTED_AT_ONCE);
}

/** Reverts all changes after the mark. */
export function revertTo(mark: u32): void {
  const target = start + mark;
  while (end > target) {
    const subject = <usize>load<u32>(end - 8);
    const kind = load<i32>(end - 4);
    end -= 8;
    if (kind == Change.ACCOUNT) {
      end -= JOURNALED_SIZE;
      memory.copy(subject + Account.BALANCE, end, JOURNALED_SIZE);
      store<u32>(subject, 0, Account.CODE_TICK);
    } else if (kind == Change.SLOT) {
      end -= 32;
      copy(end, subject + Slot.CURRENT);
    } else store<u32>(subject, 0);
  }
}

/** Returns the start of the journal, to list its changes. */
export function journalStart(): usize {
  return start;
}

export function journalEnd(): usize {
  return end;
}
