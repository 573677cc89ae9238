/*
 * Keccak-256 as a separate module, for hashes outside the interpreter. It also computes the roots of lists,
 * because hashing is most of their work.
 */

import { beginHash, finishHash, continueHashing, keccak256 } from './keccak';

/**
 * The trie of a list: each value is stored under the RLP encoding of its index (yellow paper, 4.3). The shape
 * of the trie depends only on the number of values, so no nodes are stored. Leaves are hashed one by one, and
 * inner nodes are computed from the references of their children. A reference is the RLP of a hash, or the
 * encoding of a node shorter than a hash.
 */

/** The first byte of the RLP of a hash. */
const HASH_PREFIX: u8 = 0xa0;
/** Maximum size of a reference in bytes, and the distance of references in a list. */
const REFERENCE_SIZE: u32 = 33;

/** Maximum bytes of a leaf before its value: the path, and the prefixes of list, path and value. */
const HEAD_SIZE: u32 = 24;

/** Maximum bytes of a branch: seventeen items and the prefix of the list. */
const BRANCH_SIZE: u32 = 576;
/** Maximum bytes of the prefix of a branch. */
const BRANCH_PREFIX: u32 = 3;
/** Maximum bytes of an extension before its reference. */
const EXTENSION_HEAD: u32 = 16;
const EXTENSION: usize = memory.data(64, 16);

/** Branches from the root to a leaf, one per nibble of the longest key. */
const BRANCHES: usize = memory.data(10 * 576, 16);

/** The reference of the root. */
const ROOT: usize = memory.data(48, 16);

/** The address of the references of the leaves, by index. */
let references: usize = 0;
let count: u32 = 0;

/** Indexes from 1 to this one have one-byte keys below the key of index 0. */
@inline
function lastBeforeZero(): u32 {
  return min<u32>(127, count - 1);
}

/** Returns the index whose key has this rank. */
@inline
function indexAt(rank: u32): u32 {
  const last = lastBeforeZero();
  return rank < last ? rank + 1 : rank == last ? 0 : rank;
}

@inline
function rankOf(index: u32): u32 {
  const last = lastBeforeZero();
  return index == 0 ? last : index <= last ? index - 1 : index;
}

@inline
function bytesOf(index: u32): u32 {
  return (39 - clz(index)) >> 3;
}

/** Returns the length of the key of an index, in bytes. */
@inline
function keyLength(index: u32): u32 {
  return index < 128 ? 1 : 1 + bytesOf(index);
}

/** Returns the key of an index, aligned to the highest byte. */
@inline
function keyOf(index: u32): u64 {
  if (index == 0) return 0x80 << 56;
  if (index < 128) return <u64>index << 56;
  const bytes = bytesOf(index);
  return (<u64>(0x80 + bytes) << 56) | (<u64>index << (56 - 8 * bytes));
}

@inline
function nibbleAt(key: u64, depth: u32): u32 {
  return <u32>(key >> (60 - 4 * depth)) & 15;
}

@inline
function sharedNibbles(left: u32, right: u32): u32 {
  return <u32>clz(keyOf(left) ^ keyOf(right)) >> 2;
}

/** Returns the number of nibbles of the key above its leaf. */
function depthOf(index: u32): u32 {
  if (count == 1) return 0;
  const rank = rankOf(index);
  const before = rank > 0 ? sharedNibbles(index, indexAt(rank - 1)) : 0;
  const after = rank + 1 < count ? sharedNibbles(index, indexAt(rank + 1)) : 0;
  return 1 + max(before, after);
}

/** Writes the prefix of a string (`base` 0x80) or list (0xc0) before `end`. Returns its address. */
function prefixBefore(end: usize, length: u32, base: u32): usize {
  if (length < 56) {
    store<u8>(end - 1, base + length);
    return end - 1;
  }
  const bytes = bytesOf(length);
  for (let i: u32 = 0; i < bytes; i++) store<u8>(end - 1 - i, length >> (8 * i));
  const start = end - 1 - bytes;
  store<u8>(start, base + 55 + bytes);
  return start;
}

/** Writes the path of a key before `target` (yellow paper, appendix C). Returns its address. */
function pathBefore(target: usize, key: u64, depth: u32, end: u32, flag: u32): usize {
  let start = target;
  let nibble = end;
  while (nibble >= depth + 2) {
    nibble -= 2;
    store<u8>(--start, (nibbleAt(key, nibble) << 4) | nibbleAt(key, nibble + 1));
  }
  store<u8>(--start, nibble > depth ? flag | 0x10 | nibbleAt(key, depth) : flag);
  const length = <u32>(target - start);
  // A path of one byte is its own encoding.
  return length == 1 ? start : prefixBefore(start, length, 0x80);
}

/**
 * Writes a leaf, except its value, before `value`. The value has `length` bytes and starts with `first`.
 * Returns the address of the leaf.
 */
function leafBefore(value: usize, index: u32, total: u32, length: u32, first: u32): usize {
  count = total;
  const valueStart = length == 1 && first < 0x80 ? value : prefixBefore(value, length, 0x80);
  const pathStart = pathBefore(valueStart, keyOf(index), depthOf(index), 2 * keyLength(index), 0x20);
  return prefixBefore(pathStart, <u32>(value - pathStart) + length, 0xc0);
}

/** Writes the reference of an encoded node; returns its length. */
function writeReference(start: usize, length: u32, out: usize): u32 {
  if (length < 32) {
    memory.copy(out, start, length);
    return length;
  }
  store<u8>(out, HASH_PREFIX);
  keccak256(start, length, out + 1);
  return REFERENCE_SIZE;
}

/** Returns the length of a reference. A short encoding is a list with its length in byte 0. */
@inline
function referenceLength(reference: usize): u32 {
  const first = load<u8>(reference);
  return first == HASH_PREFIX ? REFERENCE_SIZE : first - 0xc0 + 1;
}

/** Writes the reference of the node for the keys of a range of ranks; returns its length. */
function writeNode(low: u32, high: u32, depth: u32, out: usize): u32 {
  const first = indexAt(low);
  if (high - low == 1) {
    const leaf = references + REFERENCE_SIZE * first;
    const length = referenceLength(leaf);
    memory.copy(out, leaf, length);
    return length;
  }
  const fork = sharedNibbles(first, indexAt(high - 1));
  if (fork == depth) return writeBranch(low, high, depth, out);
  const child = EXTENSION + EXTENSION_HEAD;
  const length = writeBranch(low, high, fork, child);
  const path = pathBefore(child, keyOf(first), depth, fork, 0);
  const start = prefixBefore(path, <u32>(child - path) + length, 0xc0);
  return writeReference(start, <u32>(child - start) + length, out);
}

function writeBranch(low: u32, high: u32, depth: u32, out: usize): u32 {
  const start = BRANCHES + BRANCH_SIZE * depth + BRANCH_PREFIX;
  let end = start;
  let rank = low;
  for (let nibble: u32 = 0; nibble < 16; nibble++) {
    const from = rank;
    while (rank < high && nibbleAt(keyOf(indexAt(rank)), depth) == nibble) rank++;
    if (from == rank) store<u8>(end++, 0x80);
    else end += writeNode(from, rank, depth + 1, end);
  }
  store<u8>(end++, 0x80);
  const whole = prefixBefore(start, <u32>(end - start), 0xc0);
  return writeReference(whole, <u32>(end - whole), out);
}

/** Writes the root of the trie of `total` leaves (at least one). Their references are at `leaves`. */
function writeRoot(leaves: usize, total: u32, out: usize): void {
  references = leaves;
  count = total;
  // The root is always a hash, even if its node is shorter than a hash.
  const length = writeNode(0, total, 0, ROOT);
  if (length == REFERENCE_SIZE) memory.copy(out, ROOT + 1, 32);
  else keccak256(ROOT, length, out);
}

/** The input buffer: the input of sixty permutations. */
const INPUT_SIZE: i32 = 60 * 136;
export const INPUT: usize = memory.data(INPUT_SIZE, 16);

/** The resulting hash, 32 bytes. The preceding bytes belong to the caller. */
export const OUTPUT: usize = memory.data(48, 16) + 16;

/** Hashes `length` bytes of the input, starting at `start`. */
export function hashPart(start: u32, length: u32): void {
  keccak256(INPUT + start, length, OUTPUT);
}

/**
 * Hashes `count` words of 32 bytes from the start of the input; `stride` is the distance between words in
 * bytes. The hashes overwrite the input, one after the other.
 */
export function hashItems(count: u32, stride: u32): void {
  for (let index: u32 = 0; index < count; index++) keccak256(INPUT + stride * index, 32, INPUT + 32 * index);
}

/** Starts a hash of more bytes than the input buffer. */
export function begin(): void {
  beginHash();
}

/** Absorbs the whole input buffer. */
export function goOn(): void {
  continueHashing(INPUT, INPUT_SIZE);
}

/** Absorbs the last `length` bytes from the start of the input buffer and finishes the hash. */
export function finish(length: u32): void {
  finishHash(INPUT, length, OUTPUT);
}

/** The buffer for a value of a list. The bytes before it have space for the rest of its leaf. */
export const VALUE: usize = INPUT + HEAD_SIZE;

/** The resulting reference of a leaf, up to 33 bytes. */
export const REFERENCE: usize = memory.data(<i32>REFERENCE_SIZE, 16);

/** Computes the reference of the leaf at an index of `count`. `VALUE` has `length` bytes. */
export function hashLeaf(index: u32, count: u32, length: u32): void {
  const start = leafBefore(VALUE, index, count, length, load<u8>(VALUE));
  writeReference(start, <u32>(VALUE - start) + length, REFERENCE);
}

/** Writes a leaf up to its value, for a long value. Returns its address; it ends at `VALUE`. */
export function headOfLeaf(index: u32, count: u32, length: u32): usize {
  return leafBefore(VALUE, index, count, length, 0);
}

/** Returns the address for the references of `count` leaves. The memory may grow. */
export function roomForReferences(count: u32): usize {
  const missing = <i32>((<u64>__heap_base + <u64>REFERENCE_SIZE * count + 0xffff) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return __heap_base;
}

/** Writes the root of the trie of these leaves to `OUTPUT`. */
export function hashReferences(count: u32): void {
  writeRoot(__heap_base, count, OUTPUT);
}
