import { type ResetOptions, resetOptions } from '../../codecs/reset-options.ts';
import { NoForkError } from '../../errors.ts';
import { defineMethod, optional } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/**
 * Puts the chain back to what it was at its start: the pool is emptied, snapshots go, clock and miner are set as then.
 * With `forking` it becomes a fork of the node at `jsonRpcUrl`, or of the same one, at a block or at the newest.
 */
export const evm_reset = defineMethod({
  name: 'evm_reset',
  aliases: { anvil_reset: NULL, hardhat_reset: TRUE, ganache_reset: TRUE },
  summary: 'Puts the chain back to its start, or makes it another fork',
  differs:
    '`{forking: {blockNumber: null}}`, as viem sends it, is a plain reset: to what the chain was at its start, a fork if it was one. Hardhat 3 has none',
  params: [optional<ResetOptions | null>('options', resetOptions, null)],
  // A URL can hold a key.
  hidesParams: true,
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: { params: [], result: null },
  handler: async ({ chain }, target) => {
    if (target === null) await chain.snapshots.reset();
    else if (target.url === null && chain.upstreamFork === null) throw new NoForkError();
    else await chain.forkSwitch.to(target);
    return null;
  },
});
