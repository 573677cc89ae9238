import { toHex } from '../../../primitives/hex.ts';
import { encodeReceipt } from '../../../protocol/receipt-encoding.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The receipt of a mined transaction as it stands in the receipts trie; `null` for one that is not mined. */
export const chain_getRawTransactionReceiptByHash = defineMethod({
  name: 'chain_getRawTransactionReceiptByHash',
  aliases: ['rsk_getRawTransactionReceiptByHash'],
  summary: 'The encoded receipt of a transaction',
  params: [param('transactionHash', hash32)],
  result: { description: 'The RLP encoding of the receipt, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b'],
    result:
      '0xf9010c01825208b9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c082520801',
  },
  handler: async ({ chain }, transactionHash) => {
    const mined = await chain.transaction(transactionHash);
    if (mined === undefined) return null;
    return toHex(encodeReceipt(mined.receipt, mined.transaction.type, chain.ruleSet.encoding));
  },
});
