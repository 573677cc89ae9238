import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { transactionView } from '../../views/transaction.ts';

/** A transaction by its hash, mined or waiting in the pool; `null` when there is none. */
export const eth_getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction by its hash',
  params: [param('transactionHash', hash32)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: { params: ['0x8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f'], result: null },
  handler: async ({ chain }, hash) => {
    const mined = await chain.transaction(hash);
    if (mined !== undefined) return transactionView(mined.transaction, mined);
    const pending = chain.pool.byHash(hash);
    return pending === undefined ? null : transactionView(pending, null);
  },
});
