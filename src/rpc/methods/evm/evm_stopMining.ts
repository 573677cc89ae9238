import { defineMethod } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Stops the miner: blocks are made only when asked for. */
export const evm_stopMining = defineMethod({
  name: 'evm_stopMining',
  aliases: { miner_stop: TRUE },
  summary: 'Stops the miner',
  params: [],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.controls.stopMining();
    return null;
  },
});
