/**
 * Hash tables of account and slot records, with linked buckets. Records never move, and all are dropped
 * together. `Table` has the fields of a table. It grows by one bucket per record (linear hashing), so that no
 * step of a message rehashes millions of records.
 */

import { allocate, enlarge, enlargeReserved, release } from './allocator';

const FIRST_COUNT: u32 = 1 << 10;
/**
 * Above this number of buckets, the maximum is reserved, because moving large tables is slow and reserved
 * memory is free until used.
 */
const MOVED_COUNT: u32 = 1 << 20;
const MAX_COUNT: u32 = 1 << 24;
const GOLDEN: u64 = 0x9e3779b97f4a7c15;

/** The fields of a table. `clearTable` initialises it. */
export namespace Table {
  export const BUCKETS: usize = 0;
  /** Number of buckets in use: `MASK + 1`, or fewer while the upper half grows. */
  export const USED: usize = 4;
  export const LOAD: usize = 8;
  /** The smallest power of two not below `USED`, minus one. */
  export const MASK: usize = 12;
  /** Number of buckets with memory, a power of two. */
  export const ROOM: usize = 16;
  export const SIZE: i32 = 20;
}

/** Mixes a 64-bit key. The upper half of the product selects a bucket. */
@inline
export function mix(key: u64): u32 {
  return <u32>((key * GOLDEN) >> 32);
}

/** Returns the address of the first-record pointer of the hash's bucket. */
@inline
export function bucketOf(table: usize, hash: u32): usize {
  const mask = load<u32>(table, Table.MASK);
  let index = hash & mask;
  if (index >= load<u32>(table, Table.USED)) index &= mask >> 1;
  return <usize>load<u32>(table) + (index << 2);
}

/** Empties the table, and shrinks it if it is large. */
export function clearTable(table: usize): void {
  const used = load<u32>(table, Table.USED);
  if (used == 0 || used > FIRST_COUNT << 4) {
    if (used) release(load<u32>(table), load<u32>(table, Table.ROOM) << 2);
    store<u32>(table, <u32>allocate(FIRST_COUNT << 2));
    store<u32>(table, FIRST_COUNT, Table.USED);
    store<u32>(table, FIRST_COUNT - 1, Table.MASK);
    store<u32>(table, FIRST_COUNT, Table.ROOM);
  }
  memory.fill(load<u32>(table), 0, load<u32>(table, Table.USED) << 2);
  store<u32>(table, 0, Table.LOAD);
}

/** Counts an added record. Returns true if a bucket should be added. */
@inline
export function countRecord(table: usize): bool {
  const load_ = load<u32>(table, Table.LOAD) + 1;
  store<u32>(table, load_, Table.LOAD);
  return load_ > load<u32>(table, Table.USED);
}

/**
 * Adds a bucket and moves its records there from the bucket that differs in the highest bit. Records are
 * linked at `next` and hashed by `hashOf`.
 */
export function growTable(table: usize, next: usize, hashOf: (record: usize) => u32): void {
  const added = load<u32>(table, Table.USED);
  if (added > load<u32>(table, Table.MASK)) {
    if (added == load<u32>(table, Table.ROOM)) reserveBuckets(table);
    store<u32>(table, (added << 1) - 1, Table.MASK);
  }
  const mask = load<u32>(table, Table.MASK);
  const buckets = <usize>load<u32>(table);
  store<u32>(table, added + 1, Table.USED);
  let kept: u32 = 0, moved: u32 = 0;
  const divided = buckets + ((added & (mask >> 1)) << 2);
  let record = <usize>load<u32>(divided);
  while (record) {
    const following = <usize>load<u32>(record + next);
    if ((hashOf(record) & mask) == added) {
      store<u32>(record + next, moved);
      moved = <u32>record;
    } else {
      store<u32>(record + next, kept);
      kept = <u32>record;
    }
    record = following;
  }
  store<u32>(divided, kept);
  store<u32>(buckets + (added << 2), moved);
}

/** Makes space for more buckets when all are in use. */
function reserveBuckets(table: usize): void {
  const buckets = <usize>load<u32>(table);
  const room = load<u32>(table, Table.ROOM);
  const bytes = room << 2;
  const isLast = room == MOVED_COUNT;
  const wanted = isLast ? MAX_COUNT : room << 1;
  // The last growth is not counted as used, because its buckets are much smaller than the counted records.
  const larger = isLast ? enlargeReserved(buckets, bytes, bytes, wanted << 2) : enlarge(buckets, bytes, bytes, wanted << 2);
  store<u32>(table, <u32>larger);
  store<u32>(table, wanted, Table.ROOM);
}

const CHUNK: u32 = 1 << 16;
const HEADER: usize = 16;

/** Chunks are linked from the first. The chunks after the current one are free. */
let firstChunk: usize = 0;
let chunk: usize = 0;
let next: usize = 0;
let chunkCount: u32 = 0;

/** Returns a zeroed record of `size` bytes. */
export function newRecord(size: usize): usize {
  if (chunk == 0 || next + size > chunk + CHUNK) nextChunk();
  const record = next;
  next += size;
  memory.fill(record, 0, size);
  return record;
}

function nextChunk(): void {
  let following = chunk == 0 ? firstChunk : <usize>load<u32>(chunk);
  if (following == 0) {
    following = allocate(CHUNK);
    store<u32>(following, 0);
    if (chunk == 0) firstChunk = following;
    else store<u32>(chunk, <u32>following);
  }
  chunk = following;
  chunkCount++;
  next = chunk + HEADER;
}

/** Drops all records. */
export function clearRecords(): void {
  chunk = 0;
  next = 0;
  chunkCount = 0;
}

/** Returns the size of all records in bytes. */
export function recordBytes(): u32 {
  return chunkCount * CHUNK;
}
