import { compareBytes, equalBytes } from '../../primitives/bytes.ts';
import { extend, nibblesOf, putBelow, sharedNibbles, triePut } from './trie.ts';
import { Branch, Extension, Leaf, nibbleAt, type TrieNode } from './trie-node.ts';

/** A key with its value. */
export interface TrieEntry<V> {
  readonly key: Uint8Array;
  readonly value: V;
}

/** Entries sorted by their keys, which are all different. */
type Sorted<V> = readonly TrieEntry<V>[];

/**
 * Returns the trie with all entries, whose keys must be all different. The result is that of putting them one after the
 * other, but each node on their paths is created once. The given trie is unchanged. Keeps the keys that it does not have.
 */
export function triePutAll<V>(
  root: TrieNode<V> | null,
  entries: readonly TrieEntry<V>[],
): TrieNode<V> | null {
  const [first, second] = entries;
  if (first === undefined) return root;
  if (second === undefined) return triePut(root, first.key, first.value);
  return putAllBelow(
    root,
    entries.toSorted((left, right) => compareBytes(left.key, right.key)),
    0,
  );
}

function putAllBelow<V>(node: TrieNode<V> | null, entries: Sorted<V>, depth: number): TrieNode<V> | null {
  if (entries.length === 0) return node;
  if (node === null) return built(entries, depth);
  if (node instanceof Leaf) return putAllAtLeaf(node, entries, depth);
  if (node instanceof Branch) return putAllAtBranch(node, entries, depth);
  const { path, child } = node;
  const isBelow = entries.every(({ key }) => sharedNibbles(path, key, depth) === path.length);
  if (isBelow) return new Extension(path, putAllAtBranch(child, entries, depth + path.length));
  // The first entry splits the extension, and the others find a branch there.
  return entries.reduce<TrieNode<V>>((trie, { key, value }) => putBelow(trie, key, depth, value), node);
}

/** Returns the first index from `start` on whose key has another nibble at `depth`. */
function endOfNibble<V>(entries: Sorted<V>, start: number, depth: number): number {
  const nibble = nibbleAt(keyAt(entries, start), depth);
  let end = start + 1;
  while (end < entries.length && nibbleAt(keyAt(entries, end), depth) === nibble) end++;
  return end;
}

function keyAt<V>(entries: Sorted<V>, index: number): Uint8Array {
  const entry = entries[index];
  if (entry === undefined) throw new RangeError(`there is no entry ${index}`);
  return entry.key;
}

function putAllAtBranch<V>(branch: Branch<V>, entries: Sorted<V>, depth: number): Branch<V> {
  const children = branch.children.slice();
  for (let start = 0; start < entries.length; ) {
    const end = endOfNibble(entries, start, depth);
    const nibble = nibbleAt(keyAt(entries, start), depth);
    children[nibble] = putAllBelow(branch.childAt(nibble), entries.slice(start, end), depth + 1);
    start = end;
  }
  return new Branch(children);
}

function putAllAtLeaf<V>(leaf: Leaf<V>, entries: Sorted<V>, depth: number): TrieNode<V> {
  const place = entries.findIndex(({ key }) => compareBytes(key, leaf.key) >= 0);
  const position = place === -1 ? entries.length : place;
  const replacement = place === -1 ? undefined : entries[place];
  if (replacement === undefined || !equalBytes(replacement.key, leaf.key)) {
    return built(entries.toSpliced(position, 0, leaf), depth);
  }
  // The key that is there already is kept, so that versions of a trie share it.
  if (entries.length === 1) return new Leaf(leaf.key, depth, replacement.value);
  return built(entries.toSpliced(place, 1, { key: leaf.key, value: replacement.value }), depth);
}

/** Returns the trie below `depth` of the entries, of which there must be at least one. */
function built<V>(entries: Sorted<V>, depth: number): TrieNode<V> {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('there is nothing to build');
  if (entries.length === 1) return new Leaf(first.key, depth, first.value);
  let fork = depth;
  while (nibbleAt(first.key, fork) === nibbleAt(last.key, fork)) fork++;
  const empty = new Branch<V>(new Array<TrieNode<V> | null>(16).fill(null));
  return extend(nibblesOf(first.key, depth, fork), putAllAtBranch(empty, entries, fork));
}
