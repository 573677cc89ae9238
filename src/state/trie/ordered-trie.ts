import { numberToBytes } from '../../primitives/bytes.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import { trieProof, trieRoot } from './trie-encoding.ts';
import type { TrieNode } from './trie-node.ts';
import { triePutAll } from './trie-put-all.ts';

function keyOfIndex(index: number): Uint8Array {
  return encodeRlp(numberToBytes(index));
}

function orderedTrie(values: readonly Uint8Array[]): TrieNode<Uint8Array> | null {
  return triePutAll(
    null,
    values.map((value, index) => ({ key: keyOfIndex(index), value })),
  );
}

/**
 * The root (32 bytes) of the trie that holds each value under the RLP encoding of its index: how a header names its
 * transactions and its receipts (yellow paper, 4.3). `EMPTY_TRIE_ROOT` for no values.
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  return trieRoot(orderedTrie(values), (value) => value);
}

/**
 * The encoded nodes of that trie from the root to the value at the index: with the root they prove that it stands there,
 * or that there is none.
 */
export function orderedTrieProof(values: readonly Uint8Array[], index: number): Uint8Array[] {
  return trieProof(orderedTrie(values), keyOfIndex(index), (value) => value);
}

/** The root (32 bytes) of a trie without entries. */
export const EMPTY_TRIE_ROOT: Uint8Array = orderedTrieRoot([]);
