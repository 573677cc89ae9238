import { orderedTrieProof } from '../state/trie/ordered-trie.ts';
import type { Block } from './block.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import { encodeReceipt } from './receipt-encoding.ts';

/**
 * The encoded nodes of the block's receipts trie from the root to the receipt of the transaction at the index: they prove
 * the receipt to whoever has the header's `receiptsRoot`.
 */
export function receiptProof(block: Block, index: number, encoding: RuleSet['encoding']): Uint8Array[] {
  const receipts = block.receipts.map((receipt, position) =>
    encodeReceipt(receipt, block.transactions[position]?.type ?? 0, encoding),
  );
  return orderedTrieProof(receipts, index);
}
