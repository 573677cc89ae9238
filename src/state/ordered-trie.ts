import { bigIntToBytes } from '../primitives/bytes.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import { triePut } from './trie.ts';
import { trieRoot } from './trie-encoding.ts';
import type { TrieNode } from './trie-node.ts';

/**
 * The root (32 bytes) of the trie that holds each value under the RLP encoding of its index: how a header names its
 * transactions and its receipts (yellow paper, 4.3). `EMPTY_TRIE_ROOT` for no values.
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  let trie: TrieNode<Uint8Array> | null = null;
  for (const [index, value] of values.entries()) {
    trie = triePut(trie, encodeRlp(bigIntToBytes(BigInt(index))), value);
  }
  return trieRoot(trie, (value) => value);
}

/** The root (32 bytes) of a trie without entries. */
export const EMPTY_TRIE_ROOT: Uint8Array = orderedTrieRoot([]);
