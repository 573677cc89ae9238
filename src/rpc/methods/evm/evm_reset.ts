import { resetOptions } from '../../codecs/reset-options.ts';
import { defineMethod, optional } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Puts the chain back to its first block: the pool is emptied, snapshots go, clock and miner are set as at the start. */
export const evm_reset = defineMethod({
  name: 'evm_reset',
  aliases: { anvil_reset: NULL, hardhat_reset: TRUE, ganache_reset: TRUE },
  summary: 'Puts the chain back to its first block',
  differs:
    '`{forking: {blockNumber: null}}`, as viem sends it, is a plain reset; a chain to fork is refused. Hardhat 3 has none',
  params: [optional('options', resetOptions, null)],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }) => {
    await chain.snapshots.reset();
    return null;
  },
});
