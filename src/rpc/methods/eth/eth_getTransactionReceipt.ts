import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { RECEIPT_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { receiptView } from '../../views/receipt.ts';

/** What became of a mined transaction; `null` for one that is unknown or still pending. */
export const eth_getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a mined transaction',
  params: [param('transactionHash', hash32)],
  result: { description: 'The receipt, or null', schema: RECEIPT_JSON_SCHEMA },
  example: { params: ['0x8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f'], result: null },
  handler: async ({ chain }, hash) => {
    const mined = await chain.transaction(hash);
    return mined === undefined ? null : receiptView(mined);
  },
});
