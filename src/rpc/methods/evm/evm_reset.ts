import { defineMethod } from '../../method.ts';

/** Puts the chain back to its first block: the pool is emptied, snapshots go, clock and miner are set as at the start. */
export const evm_reset = defineMethod({
  name: 'evm_reset',
  summary: 'Puts the chain back to its first block',
  params: [],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.reset();
    return null;
  },
});
