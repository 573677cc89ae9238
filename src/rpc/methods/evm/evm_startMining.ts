import { defineMethod } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Lets the miner make blocks as it did when the node started, and mines at once what waits and can be. */
export const evm_startMining = defineMethod({
  name: 'evm_startMining',
  aliases: { miner_start: TRUE },
  summary: 'Starts the miner',
  differs: {
    miner_start: 'Goes back to the mode of the start and mines what waits. No number of threads',
  },
  params: [],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.controls.startMining();
    return null;
  },
});
