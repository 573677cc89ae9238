// Puts many entries into an immutable Merkle Patricia trie.

import { equalBytes } from '../../primitives/bytes.ts';
import { extend, putBelow } from './trie.ts';
import { Branch, Extension, Leaf, type TrieLink, type TrieNode } from './trie-node.ts';

export interface TrieEntry<V> {
  readonly key: Uint8Array;
  readonly value: V;
}

/** Entries with concatenated keys. */
export interface PackedEntries<V> {
  /** The distinct keys. Keys shorter than `keyLength` are padded with trailing zeros. */
  readonly keys: Uint8Array;
  readonly keyLength: number;
  /** Returns the key of a new entry. The trie keeps it. */
  keyAt(index: number): Uint8Array;
  /**
   * Returns the value for the key at the index. `before` is the trie's present value; returning it leaves the
   * entry unchanged. Called once per entry.
   */
  valueAt(index: number, before: V | undefined): V;
}

/**
 * Returns the trie with all entries. Keys must be distinct. The result equals separate puts, but each node on
 * the paths is created once, and unchanged nodes are shared. The given trie is not modified. New keys are
 * kept.
 */
export function triePutAll<V>(
  root: TrieNode<V> | null,
  entries: readonly TrieEntry<V>[],
): TrieNode<V> | null {
  const keyLength = entries.reduce((longest, { key }) => Math.max(longest, key.length), 0);
  const keys = new Uint8Array(entries.length * keyLength);
  let start = 0;
  for (const { key } of entries) {
    keys.set(key, start);
    start += keyLength;
  }
  const at = (index: number): TrieEntry<V> => {
    const entry = entries[index];
    if (entry === undefined) throw new RangeError(`there is no entry ${index}`);
    return entry;
  };
  return triePutPacked(root, {
    keys,
    keyLength,
    keyAt: (index) => at(index).key,
    valueAt: (index) => at(index).value,
  });
}

/** Like {@link triePutAll}, for packed entries. */
export function triePutPacked<V>(root: TrieNode<V> | null, entries: PackedEntries<V>): TrieNode<V> | null {
  if (entries.keys.length === 0) return root;
  const puts = new SortedPuts(entries);
  return puts.putBelow(root, 0, puts.count, 0);
}

/** Bytes of a key's sort prefix. With an index of 29 bits, the rank is an exact integer in a double. */
const PREFIX_BYTES = 3;
const INDEX_RANGE = 2 ** 29;

/** Returns the indexes of the keys in sorted order. */
function sortedIndexes({ keys, keyLength }: Pick<PackedEntries<unknown>, 'keys' | 'keyLength'>): Uint32Array {
  const count = keys.length / keyLength;
  const order = new Uint32Array(count);
  if (count === 1) return order;
  // Sorting numbers is ten times faster than sorting with a comparison function.
  const ranks = new Float64Array(count);
  for (let index = 0, start = 0; index < count; index++, start += keyLength) {
    let prefix = 0;
    for (let place = 0; place < PREFIX_BYTES; place++)
      prefix = prefix * 256 + (place < keyLength ? (keys[start + place] ?? 0) : 0);
    ranks[index] = prefix * INDEX_RANGE + index;
  }
  ranks.sort();
  for (let place = 0; place < count; place++) order[place] = (ranks[place] ?? 0) % INDEX_RANGE;
  sortEqualPrefixes(order, keys, keyLength);
  return order;
}

/** Sorts the few keys with equal prefixes. */
function sortEqualPrefixes(order: Uint32Array, keys: Uint8Array, keyLength: number): void {
  for (let end = 1; end < order.length; end++) {
    const moved = order[end] ?? 0;
    let place = end;
    for (; place > 0 && isBehind(keys, keyLength, order[place - 1] ?? 0, moved); place--)
      order[place] = order[place - 1] ?? 0;
    order[place] = moved;
  }
}

/** True if the key at `first` sorts after the key at `other`. */
function isBehind(keys: Uint8Array, keyLength: number, first: number, other: number): boolean {
  const [start, otherStart] = [first * keyLength, other * keyLength];
  for (let place = 0; place < keyLength; place++) {
    const difference = (keys[start + place] ?? 0) - (keys[otherStart + place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Entries by their rank in key order. Ranges of ranks exclude their end. */
class SortedPuts<V> {
  readonly #entries: PackedEntries<V>;
  readonly #keys: Uint8Array;
  readonly #keyLength: number;
  readonly #order: Uint32Array;

  constructor(entries: PackedEntries<V>) {
    this.#entries = entries;
    this.#keys = entries.keys;
    this.#keyLength = entries.keyLength;
    this.#order = sortedIndexes(entries);
  }

  get count(): number {
    return this.#order.length;
  }

  /** Puts at least one entry below a node. The first `depth` nibbles of the keys lead to the node. */
  putBelow(node: TrieNode<V> | null, start: number, end: number, depth: number): TrieNode<V> {
    if (node === null) return this.#built(start, end, depth);
    if (node instanceof Leaf) return this.#putAtLeaf(node, start, end, depth);
    if (node instanceof Branch) return this.#putAtBranch(node, start, end, depth);
    return this.#putAtExtension(node, start, end, depth);
  }

  #putAtBranch(branch: Branch<V>, start: number, end: number, depth: number): Branch<V> {
    let children: (TrieLink<V> | null)[] | undefined;
    for (let from = start; from < end; ) {
      const nibble = this.#nibble(from, depth);
      const to = this.#endOfNibble(from, end, depth);
      const child = branch.childAt(nibble);
      const updated = this.putBelow(child, from, to, depth + 1);
      if (updated !== child) {
        children ??= branch.children.slice();
        children[nibble] = updated;
      }
      from = to;
    }
    return children === undefined ? branch : new Branch(children);
  }

  #putAtLeaf(leaf: Leaf<V>, start: number, end: number, depth: number): TrieNode<V> {
    const place = this.#rankOf(leaf.key, start, end);
    if (place === -1) {
      if (end - start === 1) return putBelow<V>(leaf, this.#keyAt(start), depth, this.#valueAt(start));
      return putBelow<V>(this.#built(start, end, depth), leaf.key, depth, leaf.value);
    }
    const value = this.#valueAt(place, leaf.value);
    // Keeps the present key object, so that versions of a trie share it.
    const kept = value === leaf.value ? leaf : new Leaf(leaf.key, depth, value);
    if (end - start === 1) return kept;
    const before = place === start ? kept : this.putBelow(kept, start, place, depth);
    return place === end - 1 ? before : this.putBelow(before, place + 1, end, depth);
  }

  #putAtExtension(extension: Extension<V>, start: number, end: number, depth: number): TrieNode<V> {
    const { path, child } = extension;
    // If the first and the last entry are below the extension, all between them are.
    const splits = [start, end - 1].find((rank) => !this.#hasPath(rank, path, depth));
    if (splits === undefined) {
      const updated = this.#putAtBranch(child, start, end, depth + path.length);
      return updated === child ? extension : new Extension(path, updated);
    }
    const split = putBelow<V>(extension, this.#keyAt(splits), depth, this.#valueAt(splits));
    if (end - start === 1) return split;
    return splits === start
      ? this.putBelow(split, start + 1, end, depth)
      : this.putBelow(split, start, end - 1, depth);
  }

  /** Returns the trie of the entries alone. */
  #built(start: number, end: number, depth: number): TrieNode<V> {
    if (end - start === 1) return new Leaf(this.#keyAt(start), depth, this.#valueAt(start));
    const fork = this.#forkOf(start, end - 1, depth);
    const children = new Array<TrieNode<V> | null>(16).fill(null);
    for (let from = start; from < end; ) {
      const to = this.#endOfNibble(from, end, fork);
      children[this.#nibble(from, fork)] = this.#built(from, to, fork + 1);
      from = to;
    }
    const path = Uint8Array.from({ length: fork - depth }, (_, index) => this.#nibble(start, depth + index));
    return extend(path, new Branch(children));
  }

  /** Returns the first depth with different nibbles of two entries. */
  #forkOf(rank: number, other: number, depth: number): number {
    for (let fork = depth; fork < 2 * this.#keyLength; fork++)
      if (this.#nibble(rank, fork) !== this.#nibble(other, fork)) return fork;
    throw new RangeError('a key of the trie is a prefix of another key');
  }

  /** Returns the rank of the key, or -1. */
  #rankOf(key: Uint8Array, start: number, end: number): number {
    for (let rank = start; rank < end; rank++) if (this.#hasKey(rank, key)) return rank;
    return -1;
  }

  #hasKey(rank: number, key: Uint8Array): boolean {
    const start = this.#startOf(rank);
    if (this.#keys[start] !== key[0]) return false;
    return equalBytes(this.#keys.subarray(start, start + key.length), key);
  }

  #hasPath(rank: number, path: Uint8Array, depth: number): boolean {
    for (let index = 0; index < path.length; index++)
      if (this.#nibble(rank, depth + index) !== path[index]) return false;
    return true;
  }

  /** Returns the first rank after `start` with another nibble at `depth`. */
  #endOfNibble(start: number, end: number, depth: number): number {
    let rank = start + 1;
    if (rank === end) return end;
    const nibble = this.#nibble(start, depth);
    while (rank < end && this.#nibble(rank, depth) === nibble) rank++;
    return rank;
  }

  #startOf(rank: number): number {
    return (this.#order[rank] ?? 0) * this.#keyLength;
  }

  #nibble(rank: number, depth: number): number {
    const byte = this.#keys[(this.#order[rank] ?? 0) * this.#keyLength + (depth >> 1)] ?? 0;
    return (depth & 1) === 0 ? byte >> 4 : byte & 15;
  }

  #keyAt(rank: number): Uint8Array {
    return this.#entries.keyAt(this.#order[rank] ?? 0);
  }

  #valueAt(rank: number, before?: V): V {
    return this.#entries.valueAt(this.#order[rank] ?? 0, before);
  }
}
