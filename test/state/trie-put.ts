import { putBelow } from '../../src/state/trie/trie.ts';
import type { TrieNode } from '../../src/state/trie/trie-node.ts';

/** Puts one value into a trie. */
export function triePut<V>(root: TrieNode<V> | null, key: Uint8Array, value: V): TrieNode<V> {
  return putBelow(root, key, 0, value);
}
