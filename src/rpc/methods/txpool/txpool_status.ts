import { defineMethod } from '../../method.ts';

const COUNT_JSON_SCHEMA = { type: ['string', 'number'] };

/** How many transactions wait in the pool. The form follows the dialect. */
export const txpool_status = defineMethod({
  name: 'txpool_status',
  summary: 'The number of transactions in the pool',
  params: [],
  result: {
    description: 'The number of pending and of queued transactions',
    schema: {
      type: 'object',
      properties: { pending: COUNT_JSON_SCHEMA, queued: COUNT_JSON_SCHEMA },
      required: ['pending', 'queued'],
    },
  },
  example: { params: [], result: { pending: 0, queued: 1 } },
  handler: ({ chain: { pool }, settings: { compat } }) => {
    const queued = pool.queued().length;
    const { count } = compat.poolView;
    return { pending: count(pool.size - queued), queued: count(queued) };
  },
});
