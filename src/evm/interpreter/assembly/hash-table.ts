/**
 * Records of accounts and slots, and buckets of linked records. Records never move, and all are given up at once. A table is 12 bytes: where
 * its buckets are, how many (a power of two), and its load.
 */

import { allocate, release } from './allocator';

const FIRST_COUNT: u32 = 1 << 10;
const GOLDEN: u64 = 0x9e3779b97f4a7c15;

/** Returns memory for a table, which `clearTable` initialises. */
export namespace Table {
  export const BUCKETS: usize = 0;
  export const COUNT: usize = 4;
  export const LOAD: usize = 8;
  export const SIZE: i32 = 16;
}

/** Mixes a key of 64 bits so that its upper half can choose a bucket. */
@inline
export function mix(key: u64): u32 {
  return <u32>((key * GOLDEN) >> 32);
}

/** Returns the address of the pointer to the first record of the hash's bucket. */
@inline
export function bucketOf(table: usize, hash: u32): usize {
  return <usize>load<u32>(table) + ((hash & (load<u32>(table, Table.COUNT) - 1)) << 2);
}

/** Empties the table. One that has grown far starts small again. */
export function clearTable(table: usize): void {
  const count = load<u32>(table, Table.COUNT);
  if (count == 0 || count > FIRST_COUNT << 4) {
    if (count) release(load<u32>(table), count << 2);
    store<u32>(table, <u32>allocate(FIRST_COUNT << 2));
    store<u32>(table, FIRST_COUNT, Table.COUNT);
  }
  memory.fill(load<u32>(table), 0, load<u32>(table, Table.COUNT) << 2);
  store<u32>(table, 0, Table.LOAD);
}

/** Counts a record that was added. Returns true when the buckets should be doubled. */
@inline
export function countRecord(table: usize): bool {
  const load_ = load<u32>(table, Table.LOAD) + 1;
  store<u32>(table, load_, Table.LOAD);
  return load_ > load<u32>(table, Table.COUNT);
}

/** Doubles the buckets. Records are linked at `next` and hashed by `hashOf`. */
export function growTable(table: usize, next: usize, hashOf: (record: usize) => u32): void {
  const buckets = <usize>load<u32>(table);
  const count = load<u32>(table, Table.COUNT);
  const larger = allocate(count << 3);
  memory.fill(larger, 0, count << 3);
  store<u32>(table, <u32>larger);
  store<u32>(table, count << 1, Table.COUNT);
  for (let i: u32 = 0; i < count; i++) {
    let record = <usize>load<u32>(buckets + (i << 2));
    while (record) {
      const following = <usize>load<u32>(record + next);
      const bucket = bucketOf(table, hashOf(record));
      store<u32>(record + next, load<u32>(bucket));
      store<u32>(bucket, <u32>record);
      record = following;
    }
  }
  release(buckets, count << 2);
}

const CHUNK: u32 = 1 << 16;
const HEADER: usize = 16;

/** Chunks are linked from the first; the rest of the list waits to be used again. */
let firstChunk: usize = 0;
let chunk: usize = 0;
let next: usize = 0;
let chunkCount: u32 = 0;

/** Room for a record of `size` bytes, all zero. */
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

/** Returns up all records. */
export function clearRecords(): void {
  chunk = 0;
  next = 0;
  chunkCount = 0;
}

/** Returns the size of all records in bytes. */
export function recordBytes(): u32 {
  return chunkCount * CHUNK;
}
