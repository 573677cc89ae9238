import { equalBytes } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { receiptProof } from '../../../protocol/receipt-encoding.ts';
import { requireBlock } from '../../block-answers.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/**
 * The nodes of the block's receipts trie from the leaf with a transaction's receipt up to the root, whose Keccak is the
 * header's `receiptsRoot`; `null` for a transaction that is not in the block.
 */
export const chain_getTransactionReceiptNodesByHash = defineMethod({
  name: 'chain_getTransactionReceiptNodesByHash',
  aliases: ['rsk_getTransactionReceiptNodesByHash'],
  summary: "The proof that a receipt is in its block's receipts trie",
  params: [param('blockHash', hash32), param('transactionHash', hash32)],
  result: {
    description: 'The encoded nodes from the leaf to the root, or null',
    schema: orNull({ type: 'array', items: data.jsonSchema }),
  },
  example: {
    params: [
      '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
      '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
    ],
    result: [
      '0xf90115822080b9010ff9010c01825208b9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c082520801',
    ],
  },
  handler: async (context, blockHash, transactionHash) => {
    const block = await requireBlock(context, { hash: blockHash });
    const index = block.transactions.findIndex(({ hash }) => equalBytes(hash, transactionHash));
    if (index === -1) return null;
    return receiptProof(block, index, context.chain.ruleSet.encoding).reverse().map(toHex);
  },
});
