import { triePath } from './trie.ts';
import { isHash, NodeEncoder, type TrieNode, type ValueEncoder } from './trie-node.ts';

/**
 * Returns the Merkle proof of the key or its absence: the RLP of the nodes from the root down, as in
 * `eth_getProof` (EIP-1186). A node shorter than a hash is part of its parent. Empty for an empty trie.
 */
export function trieProof<V>(
  root: TrieNode<V> | null,
  key: Uint8Array,
  encodeValue: ValueEncoder<V>,
): Uint8Array[] {
  const encoder = new NodeEncoder(encodeValue);
  return triePath(root, key)
    .filter((node) => node === root || isHash(encoder.reference(node)))
    .map((node) => encoder.encode(node).slice());
}
