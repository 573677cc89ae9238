/** Records of accounts and slots: they never move, and all are given up at once. */

import { allocate } from './allocator';

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

/** How many bytes the records take. */
export function recordBytes(): u32 {
  return chunkCount * CHUNK;
}
