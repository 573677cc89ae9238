import { defineMethod } from '../../method.ts';

/** Takes all transactions out of the pool. */
export const debug_clearTxpool = defineMethod({
  name: 'debug_clearTxpool',
  summary: 'Empties the pool',
  params: [],
  result: { description: 'null', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.controls.dropAllTransactions();
    return null;
  },
});
