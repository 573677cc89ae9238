/**
 * Allocates blocks of linear memory.
 *
 * A block has one of four sizes per power of two. Released blocks are kept in a list per size and are neither
 * split nor merged. Memory in use stays below a bound that the host sets. Above it, `outOfMemory` throws, and
 * the host discards the instance. Reserved memory occupies addresses but no physical memory; it counts only
 * when it is used.
 */

import { outOfMemory } from './host';

const MIN_SHIFT: u32 = 6;
const CLASS_COUNT: u32 = 104;

/** The first released block of each size. A released block starts with the address of the next block. */
const RELEASED: usize = memory.data(CLASS_COUNT * 4, 16);

let top: usize = (__heap_base + 63) & ~63;
/** Maximum size of the memory in bytes, including reserved memory. */
const MAX_ADDRESSES: u64 = 1 << 31;
/** Maximum number of bytes in use. */
let bound: u64 = MAX_ADDRESSES;
let inUse: u64 = 0;

/** Sets the maximum number of bytes in use. */
export function setMemoryBound(bytes: u32): void {
  bound = bytes;
}

/** Returns the highest size of the memory so far in bytes, including reserved memory. */
export function memoryTop(): usize {
  return top;
}

/** Returns the highest number of bytes in use so far. */
export function memoryInUse(): u32 {
  return <u32>inUse;
}

/** Counts bytes of a reserved block before their first use. */
export function use(bytes: u32): void {
  inUse += bytes;
  if (inUse > bound) outOfMemory();
}

@inline
function classOf(size: u32): u32 {
  if (size <= 1 << MIN_SHIFT) return 0;
  const last = size - 1;
  const highest: u32 = 31 - clz(last);
  return ((highest - MIN_SHIFT) << 2) + (last >> (highest - 2)) - 3;
}

@inline
function sizeOf(sizeClass: u32): u64 {
  return (4 + <u64>(sizeClass & 3)) << (MIN_SHIFT - 2 + (sizeClass >> 2));
}

/** Returns the capacity of a block for `size` bytes. */
export function blockSize(size: u32): u32 {
  return <u32>sizeOf(classOf(size));
}

/** Returns the size of the largest block that fits into the unused memory. */
export function largestBlock(): u32 {
  const left = MAX_ADDRESSES > <u64>top ? <u32>(MAX_ADDRESSES - top) : 0;
  if (left < 1 << MIN_SHIFT) return 0;
  // The size class may be larger than the rest; the previous class is not.
  const sizeClass = classOf(left);
  const size = sizeOf(sizeClass);
  return <u32>(size <= <u64>left || sizeClass == 0 ? size : sizeOf(sizeClass - 1));
}

/** True if the last allocated block is fresh memory (all zeros). */
export let isUnused: bool = false;

/** Returns a block of at least `size` bytes with undefined content. */
export function allocate(size: u32): usize {
  const block = reserve(size);
  if (isUnused) use(blockSize(size));
  return block;
}

/** Like `allocate`, but only the bytes reported to {@link use} count as used. */
export function reserve(size: u32): usize {
  const sizeClass = classOf(size);
  const list = RELEASED + (sizeClass << 2);
  const released = <usize>load<u32>(list);
  if (released) {
    store<u32>(list, load<u32>(released));
    isUnused = false;
    return released;
  }
  const block = top;
  const end = <u64>top + sizeOf(sizeClass);
  if (end > MAX_ADDRESSES) outOfMemory();
  const have = <u64>memory.size() << 16;
  if (end > have) {
    // A sixteenth more than required, so that growth stays rare.
    const wanted = min<u64>(MAX_ADDRESSES, end + (end >> 4) + 0xffff) >> 16;
    if (memory.grow(<i32>(max<u64>(wanted, (end + 0xffff) >> 16) - (have >> 16))) < 0) outOfMemory();
  }
  top = <usize>end;
  isUnused = true;
  return block;
}

/** Releases a block that was allocated for `size` bytes. */
export function release(block: usize, size: u32): void {
  const list = RELEASED + (classOf(size) << 2);
  store<u32>(block, load<u32>(list));
  store<u32>(list, <u32>block);
}

/** Moves the first `used` bytes to a larger block and releases the old block. */
export function enlarge(block: usize, size: u32, used: u32, wanted: u32): usize {
  const larger = allocate(wanted);
  memory.copy(larger, block, used);
  release(block, size);
  return larger;
}

/** Like `enlarge`, with a reserved block. */
export function enlargeReserved(block: usize, size: u32, used: u32, wanted: u32): usize {
  const larger = reserve(wanted);
  if (isUnused) use(used);
  memory.copy(larger, block, used);
  release(block, size);
  return larger;
}

/** Bytes of a reserved block to count in one step, before their use. */
const USED_AT_ONCE: u32 = 1 << 20;

/**
 * Counts more bytes of a reserved block, at least up to `needed`. `size` bytes are already counted and `room`
 * bytes reserved. Returns the new number of counted bytes.
 */
export function useMore(size: u32, room: u32, needed: u32): u32 {
  const counted = min<u32>(room, max<u32>(needed, size + USED_AT_ONCE));
  use(counted - size);
  return counted;
}
