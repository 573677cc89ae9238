import type { Transaction } from '../../../protocol/transaction.ts';
import { defineMethod } from '../../method.ts';
import { POOL_LISTING_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { bySenderAndNonce } from '../../views/pool.ts';

/**
 * Every transaction that waits in the pool by sender and nonce: the pending can be mined now, the queued wait for a
 * nonce before theirs. The form follows the dialect.
 */
export const txpool_content = defineMethod({
  name: 'txpool_content',
  summary: 'The transactions of the pool',
  params: [],
  result: {
    description: 'The pending and the queued transactions by sender and nonce',
    schema: POOL_LISTING_JSON_SCHEMA,
  },
  example: {
    params: [],
    result: {
      pending: {},
      queued: {
        '3c44cdddb6a900fa2b585dd299e03d12fa4293bc': {
          '1': [
            {
              blockHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
              blockNumber: null,
              transactionIndex: null,
              from: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
              gas: '0x5208',
              gasPrice: '0x00',
              hash: '0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84',
              input: '0x',
              nonce: '0x1',
              to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
              value: '0x01',
            },
          ],
        },
      },
    },
  },
  handler: ({ chain: { pool, ruleSet }, settings }) => {
    const { poolView } = settings.compat;
    const write = (transaction: Transaction) => poolView.transaction(transaction, ruleSet);
    return {
      pending: bySenderAndNonce(pool.pending(), poolView, write),
      queued: bySenderAndNonce(pool.queued(), poolView, write),
    };
  },
});
