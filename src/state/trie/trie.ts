// Reads and changes immutable Merkle Patricia tries.

import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import {
  Branch,
  Extension,
  Leaf,
  loaded,
  nibbleAt,
  type TrieLink,
  type TrieNode,
  UnloadedNode,
} from './trie-node.ts';

/** Returns the value of the key, or `undefined`. */
export function trieGet<V>(root: TrieNode<V> | null, key: Uint8Array): V | undefined {
  let node = root;
  let depth = 0;
  while (node !== null) {
    if (node instanceof Leaf) return equalBytes(node.key, key) ? node.value : undefined;
    if (node instanceof Branch) {
      // Inlined, because each request looks up several keys.
      const byte = key[depth >> 1] ?? 0;
      const child: TrieLink<V> | null = node.children[(depth++ & 1) === 0 ? byte >> 4 : byte & 15] ?? null;
      node = child instanceof UnloadedNode ? child.node : child;
    } else {
      if (sharedNibbles(node.path, key, depth) < node.path.length) return undefined;
      depth += node.path.length;
      node = node.child;
    }
  }
  return undefined;
}

/** Returns the nodes from the root towards the key. The last one determines whether the key exists. */
export function triePath<V>(root: TrieNode<V> | null, key: Uint8Array): TrieNode<V>[] {
  const path: TrieNode<V>[] = [];
  let node = root;
  let depth = 0;
  while (node !== null) {
    path.push(node);
    if (node instanceof Leaf) break;
    if (node instanceof Branch) {
      node = node.childAt(nibbleAt(key, depth++));
    } else {
      if (sharedNibbles(node.path, key, depth) < node.path.length) break;
      depth += node.path.length;
      node = node.child;
    }
  }
  return path;
}

/** Returns the trie without the key, or the same trie if it does not contain the key. */
export function trieRemove<V>(root: TrieNode<V> | null, key: Uint8Array): TrieNode<V> | null {
  return removeBelow(root, key, 0);
}

/** Yields all values, in key order. */
export function* trieValues<V>(root: TrieNode<V> | null): Generator<V, void, undefined> {
  if (root === null) return;
  if (root instanceof Leaf) yield root.value;
  else if (root instanceof Extension) yield* trieValues(root.child);
  else for (const child of root.children) yield* trieValues(loaded(child));
}

/**
 * Returns the subtree with the value under the key. The first `depth` nibbles of the key lead to the node.
 * Returns the same node if it has the identical value. Keeps the key, so the caller must not change it.
 */
export function putBelow<V>(node: TrieNode<V> | null, key: Uint8Array, depth: number, value: V): TrieNode<V> {
  if (node === null) return new Leaf(key, depth, value);
  if (node instanceof Leaf) return putAtLeaf(node, key, depth, value);
  if (node instanceof Extension) return putAtExtension(node, key, depth, value);
  return putAtBranch(node, key, depth, value);
}

function putAtBranch<V>(branch: Branch<V>, key: Uint8Array, depth: number, value: V): Branch<V> {
  const nibble = nibbleAt(key, depth);
  const child = branch.childAt(nibble);
  const updated = putBelow(child, key, depth + 1, value);
  return updated === child ? branch : branch.withChild(nibble, updated);
}

function putAtLeaf<V>(leaf: Leaf<V>, key: Uint8Array, depth: number, value: V): TrieNode<V> {
  if (equalBytes(leaf.key, key)) return leaf.value === value ? leaf : new Leaf(leaf.key, depth, value);
  let fork = depth;
  while (nibbleAt(leaf.key, fork) === nibbleAt(key, fork)) fork++;
  const moved = new Leaf(leaf.key, fork + 1, leaf.value);
  const added = new Leaf(key, fork + 1, value);
  const branch = branchOf(nibbleAt(leaf.key, fork), moved, nibbleAt(key, fork), added);
  return extend(nibblesOf(key, depth, fork), branch);
}

function putAtExtension<V>(extension: Extension<V>, key: Uint8Array, depth: number, value: V): TrieNode<V> {
  const { path, child } = extension;
  const shared = sharedNibbles(path, key, depth);
  const old = path[shared];
  if (old === undefined) {
    const updated = putAtBranch(child, key, depth + shared, value);
    return updated === child ? extension : new Extension(path, updated);
  }
  const fork = depth + shared;
  const added = new Leaf(key, fork + 1, value);
  const branch = branchOf(old, extend(path.slice(shared + 1), child), nibbleAt(key, fork), added);
  return extend(path.slice(0, shared), branch);
}

function removeBelow<V>(node: TrieNode<V> | null, key: Uint8Array, depth: number): TrieNode<V> | null {
  if (node === null) return null;
  if (node instanceof Leaf) return equalBytes(node.key, key) ? null : node;
  if (node instanceof Branch) return removeAtBranch(node, key, depth);
  const { path, child } = node;
  if (sharedNibbles(path, key, depth) < path.length) return node;
  const updated = removeAtBranch(child, key, depth + path.length);
  return updated === child ? node : prepend(path, updated, depth);
}

function removeAtBranch<V>(branch: Branch<V>, key: Uint8Array, depth: number): TrieNode<V> {
  const nibble = nibbleAt(key, depth);
  const child = branch.childAt(nibble);
  const updated = removeBelow(child, key, depth + 1);
  if (updated === child) return branch;
  if (updated !== null) return branch.withChild(nibble, updated);
  return withoutChild(branch, nibble, depth);
}

/** Returns the branch without this child. A single remaining child replaces the branch. */
function withoutChild<V>(branch: Branch<V>, nibble: number, depth: number): TrieNode<V> {
  const children = branch.children.slice();
  children[nibble] = null;
  const first = children.findIndex((child) => child !== null);
  if (children.findLastIndex((other) => other !== null) !== first) return new Branch(children);
  const child = branch.childAt(first);
  if (child === null) throw new Error('a branch of a trie had fewer than two children');
  return prepend(Uint8Array.of(first), child, depth);
}

/** Returns the node moved up to `depth`, with the nibbles of its former path. */
function prepend<V>(path: Uint8Array, node: TrieNode<V>, depth: number): TrieNode<V> {
  if (node instanceof Leaf) return new Leaf(node.key, depth, node.value);
  if (node instanceof Extension) return new Extension(concatBytes(path, node.path), node.child);
  return new Extension(path, node);
}

/** Returns the branch below an extension with the path; the branch itself for an empty path. */
export function extend<V>(path: Uint8Array, branch: Branch<V>): TrieNode<V> {
  return path.length === 0 ? branch : new Extension(path, branch);
}

function branchOf<V>(nibble: number, child: TrieNode<V>, otherNibble: number, other: TrieNode<V>): Branch<V> {
  const children = new Array<TrieNode<V> | null>(16).fill(null);
  children[nibble] = child;
  children[otherNibble] = other;
  return new Branch(children);
}

/** Returns the number of leading nibbles of `path` that match the key from `depth`. */
function sharedNibbles(path: Uint8Array, key: Uint8Array, depth: number): number {
  let shared = 0;
  while (shared < path.length && path[shared] === nibbleAt(key, depth + shared)) shared++;
  return shared;
}

/** Returns the nibbles of the key from `start` (inclusive) to `end` (exclusive). */
function nibblesOf(key: Uint8Array, start: number, end: number): Uint8Array {
  const nibbles = new Uint8Array(end - start);
  for (let index = start; index < end; index++) nibbles[index - start] = nibbleAt(key, index);
  return nibbles;
}
