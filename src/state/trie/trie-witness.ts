// The nodes of a trie without which its root cannot be computed again after a change.

import { compareBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import {
  type Branch,
  Extension,
  isHash,
  Leaf,
  loaded,
  NodeEncoder,
  nibbleAt,
  type TrieNode,
  type ValueEncoder,
} from './trie-node.ts';

/** The keys that a change reads or writes. */
export interface WitnessKeys {
  /** All of them, of the length of the trie's keys. */
  readonly touched: readonly Uint8Array[];
  /** True for one that the trie does not hold after the change. */
  isRemoved(key: Uint8Array): boolean;
}

/**
 * Yields the RLP encodings of the nodes on the paths to the keys, from the root down, each once. Where so much is removed
 * that a branch has one child left, that child is yielded too, as it moves into the place of the branch. Nodes shorter than a
 * hash are parts of their parents and are not yielded.
 */
export function* trieWitness<V>(
  root: TrieNode<V> | null,
  keys: WitnessKeys,
  encodeValue: ValueEncoder<V>,
): Generator<Uint8Array, void, undefined> {
  if (root === null) return;
  const encoder = new NodeEncoder(encodeValue);
  const byKey = new Map(keys.touched.map((key) => [hexKey(key), key]));
  const sorted = Array.from(byKey.values()).sort(compareBytes);
  yield encoder.encode(root).slice();
  yield* nodesBelow(root, 0, sorted, keys, encoder);
}

function* encoded<V>(node: TrieNode<V>, encoder: NodeEncoder<V>): Generator<Uint8Array, void, undefined> {
  if (isHash(encoder.reference(node))) yield encoder.encode(node).slice();
}

/** Yields the nodes below one that was yielded; returns true when nothing of it is left after the change. */
function* nodesBelow<V>(
  node: TrieNode<V>,
  depth: number,
  sorted: readonly Uint8Array[],
  keys: WitnessKeys,
  encoder: NodeEncoder<V>,
): Generator<Uint8Array, boolean, undefined> {
  if (node instanceof Leaf)
    return sorted.some((key) => compareBytes(key, node.key) === 0) && keys.isRemoved(node.key);
  if (node instanceof Extension) {
    const { path, child } = node;
    const below = sorted.filter((key) =>
      path.every((nibble, index) => nibbleAt(key, depth + index) === nibble),
    );
    if (below.length === 0) return false;
    yield* encoded(child, encoder);
    return yield* nodesBelow(child, depth + path.length, below, keys, encoder);
  }
  return yield* nodesOfBranch(node, depth, sorted, keys, encoder);
}

function* nodesOfBranch<V>(
  branch: Branch<V>,
  depth: number,
  sorted: readonly Uint8Array[],
  keys: WitnessKeys,
  encoder: NodeEncoder<V>,
): Generator<Uint8Array, boolean, undefined> {
  /** The nibbles of the children that are left, and whether each is known by a key below it. */
  const left: { readonly nibble: number; readonly isKnown: boolean }[] = [];
  for (const [nibble, link] of branch.children.entries()) {
    if (link === null) continue;
    const below = sorted.filter((key) => nibbleAt(key, depth) === nibble);
    const child = below.length === 0 ? null : loaded(link);
    if (child !== null) {
      yield* encoded(child, encoder);
      if (yield* nodesBelow(child, depth + 1, below, keys, encoder)) continue;
    }
    left.push({ nibble, isKnown: child !== null });
  }
  const [only, other] = left;
  if (only === undefined) return true;
  const moved = other === undefined && !only.isKnown ? branch.childAt(only.nibble) : null;
  if (moved !== null) yield* encoded(moved, encoder);
  return false;
}
