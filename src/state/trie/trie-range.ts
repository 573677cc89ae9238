import { compareBytes } from '../../primitives/bytes.ts';
import { Branch, Leaf, loaded, nibbleAt, type TrieNode } from './trie-node.ts';

/**
 * Yields the entries whose keys are not below `start`, in the order of their keys. `start` has the length of the keys.
 * Subtries below it are passed over without being looked into.
 */
export function* trieEntriesFrom<V>(
  root: TrieNode<V> | null,
  start: Uint8Array,
): Generator<Leaf<V>, void, undefined> {
  yield* entriesBelow(root, start, 0, true);
}

/** `isAtEdge` is true while the nibbles above the node are those of `start`, so that entries may be below it. */
function* entriesBelow<V>(
  node: TrieNode<V> | null,
  start: Uint8Array,
  depth: number,
  isAtEdge: boolean,
): Generator<Leaf<V>, void, undefined> {
  if (node === null) return;
  if (node instanceof Leaf) {
    if (!isAtEdge || compareBytes(node.key, start) >= 0) yield node;
    return;
  }
  if (node instanceof Branch) {
    const first = isAtEdge ? nibbleAt(start, depth) : 0;
    for (let nibble = first; nibble < node.children.length; nibble++) {
      const child = loaded(node.children[nibble] ?? null);
      yield* entriesBelow(child, start, depth + 1, isAtEdge && nibble === first);
    }
    return;
  }
  const { path, child } = node;
  const order = isAtEdge ? compareWithPath(path, start, depth) : 1;
  if (order < 0) return;
  yield* entriesBelow(child, start, depth + path.length, order === 0);
}

/** Below 0 where the path is below the nibbles of `start` from `depth` on, 0 where it is the same, else above 0. */
function compareWithPath(path: Uint8Array, start: Uint8Array, depth: number): number {
  for (const [index, nibble] of path.entries()) {
    const difference = nibble - nibbleAt(start, depth + index);
    if (difference !== 0) return difference;
  }
  return 0;
}
