import { defineMethod } from '../../method.ts';
import { POOL_LISTING_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { bySenderAndNonce } from '../../views/pool.ts';

/** The transactions of the pool as `txpool_content` lists them, each in one line of words. */
export const txpool_inspect = defineMethod({
  name: 'txpool_inspect',
  summary: 'The transactions of the pool in words',
  params: [],
  result: {
    description: 'The pending and the queued transactions in words, by sender and nonce',
    schema: POOL_LISTING_JSON_SCHEMA,
  },
  example: {
    params: [],
    result: {
      pending: {},
      queued: {
        '3c44cdddb6a900fa2b585dd299e03d12fa4293bc': {
          '1': ['70997970c51812dc3a010c7d01b50e0d17dc79c8: 1 wei + 21000 x 0 gas'],
        },
      },
    },
  },
  handler: ({ chain: { pool }, settings: { compat } }) => {
    const { poolView } = compat;
    return {
      pending: bySenderAndNonce(pool.pending(), poolView, poolView.summary),
      queued: bySenderAndNonce(pool.queued(), poolView, poolView.summary),
    };
  },
});
