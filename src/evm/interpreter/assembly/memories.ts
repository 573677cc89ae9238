/**
 * The memories and stacks of all frames.
 *
 * Memories form one block, and stacks another. A frame's part starts at the end of its enclosing frame's
 * part. A block that is too small is moved, so longer-lived pointers are stored as offsets.
 */

import { allocate, enlarge, isUnused, largestBlock, release, reserve, use, useMore } from './allocator';
import { Rule } from './generated/protocol';
import { outOfMemory } from './host';
import { memoryBase, memorySize, stackBase, stackPointer } from './registers';
import { rule } from './layout';
import { fitsU64, isZero } from './u256';

const FIRST_MEMORIES: u32 = 1 << 16;
/** Maximum memory of one frame in bytes, because one instruction may process all of it. */
const MAX_MEMORY: u64 = 24 << 20;
/** Maximum total memory of all frames in bytes: more than a hundred million gas can buy. */
const MAX_MEMORIES: u32 = 256 << 20;
/** Above this size (bytes), the maximum is reserved, because moving is slow and reserving is free. */
const MOVED_MEMORIES: u32 = 4 << 20;
const STACK_ITEMS: u32 = 1024;
/** Bytes for one more stack: 1024 items, and the words that an instruction writes above them. */
const STACK_ROOM: u32 = (STACK_ITEMS + 20) << 5;

/** An offset beyond any gas limit. */
export const TOO_FAR: u64 = ~0;
/** Larger offsets and lengths are out of reach. Below, the squared number of words fits into 64 bits. */
const FARTHEST: u64 = 1 << 35;

let memories: usize = 0;
/** Bytes of the memories that may be used, and bytes reserved. */
let memoriesSize: u32 = 0;
let memoriesRoom: u32 = 0;
/** The start of the unused part of the memories, all zeros. */
let unused: usize = 0;
let stacks: usize = 0;
let stacksSize: u32 = 0;

@inline
export function memoriesStart(): usize {
  return memories;
}

/** Resets the memories for a message. Its data (`length` bytes) is at the start of the memories. */
export function beginMemories(length: u32): void {
  if (memories == 0) {
    memories = allocate(FIRST_MEMORIES);
    memoriesSize = FIRST_MEMORIES;
    memoriesRoom = FIRST_MEMORIES;
    unused = memories + FIRST_MEMORIES;
    stacks = allocate(STACK_ROOM << 1);
    stacksSize = STACK_ROOM << 1;
  }
  // 64 more bytes, so that whole words can be read at the end of the data.
  const room = ((length + 31) & ~31) + 64;
  if (room > memoriesSize) growMemories(room);
  memoryBase = memories;
  memorySize = (length + 31) & ~31;
  unused = max<usize>(unused, memories + <usize>memorySize);
  stackBase = stacks;
  stackPointer = stacks;
}

function growMemories(room: u64): void {
  if (room <= <u64>memoriesRoom) {
    memoriesSize = useMore(memoriesSize, memoriesRoom, <u32>room);
    return;
  }
  const most = min<u32>(MAX_MEMORIES, largestBlock());
  if (room > <u64>most) outOfMemory();
  const wanted = room > <u64>MOVED_MEMORIES ? most : max<u32>(<u32>room, min<u32>(memoriesRoom * 2, most));
  const distance = memoryBase - memories;
  const used = min<u32>(memoriesSize, <u32>(distance + <usize>memorySize));
  const larger = reserve(wanted);
  unused = larger + (isUnused ? used : wanted);
  if (isUnused) use(used);
  memory.copy(larger, memories, used);
  release(memories, memoriesRoom);
  memories = larger;
  memoriesRoom = wanted;
  memoriesSize = useMore(used, wanted, <u32>room);
  memoryBase = memories + distance;
}

/** Returns the offset of a pointer from the start of the stacks. */
@inline
export function stackDistance(pointer: usize): u32 {
  return <u32>(pointer - stacks);
}

@inline
export function stackAt(distance: u32): usize {
  return stacks + distance;
}

/** Starts a frame's stack and memory after the existing ones. */
export function pushMemories(base: usize): void {
  stackBase = base;
  stackPointer = base;
  const used = <u32>(base - stacks);
  if (used + STACK_ROOM > stacksSize) {
    stacks = enlarge(stacks, stacksSize, used + 32, stacksSize * 2);
    stacksSize *= 2;
    stackBase = stacks + used;
    stackPointer = stackBase;
  }
  memoryBase += <usize>memorySize;
  memorySize = 0;
}

/** Returns the end of an access of `length` bytes; 0 for no bytes, `TOO_FAR` beyond any gas limit. */
@inline
export function reach(offset: usize, length: usize): u64 {
  if (isZero(length)) return 0;
  if (!fitsU64(offset) || !fitsU64(length)) return TOO_FAR;
  const a = load<u64>(offset), b = load<u64>(length);
  return (a | b) >= FARTHEST ? TOO_FAR : a + b;
}

/** Returns the end of an access of a fixed number of bytes at `offset`. */
@inline
export function reachOf(offset: usize, length: u64): u64 {
  return fitsU64(offset) && load<u64>(offset) < FARTHEST ? load<u64>(offset) + length : TOO_FAR;
}

@inline
function priceOfWords(words: u64): i64 {
  return <i64>(words * <u64>rule(Rule.MEMORY_WORD) + (words * words) / <u64>rule(Rule.MEMORY_DIVISOR));
}

/** Returns the gas to expand the memory to `end`; `i64.MAX_VALUE` if not allowed. */
export function expansionPrice(end: u64): i64 {
  if (end <= memorySize) return 0;
  if (end == TOO_FAR || end > <u64>rule(Rule.MEMORY_MAXIMUM)) return i64.MAX_VALUE;
  return priceOfWords((end + 31) >> 5) - priceOfWords(memorySize >> 5);
}

/** Expands the memory to `end`. The gas is already charged. */
export function expand(end: u64): void {
  if (end <= memorySize) return;
  if (end > MAX_MEMORY) outOfMemory();
  const size = (end + 31) & ~31;
  const room = <u64>(memoryBase - memories) + size + 64;
  if (room > <u64>memoriesSize) growMemories(room);
  const start = memoryBase + <usize>memorySize, newEnd = memoryBase + <usize>size;
  if (start < unused) memory.fill(start, 0, min<usize>(newEnd, unused) - start);
  unused = max<usize>(unused, newEnd);
  memorySize = size;
}
