import { defineMethod } from '../../method.ts';

/** Stops the miner: blocks are made only when asked for. */
export const evm_stopMining = defineMethod({
  name: 'evm_stopMining',
  summary: 'Stops the miner',
  params: [],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.stopMining();
    return null;
  },
});
