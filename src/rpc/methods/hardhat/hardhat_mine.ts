import { seconds } from '../../codecs/quantity.ts';
import { blockCount } from '../../codecs/settings.ts';
import { defineMethod, optional } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

const DEFAULT_INTERVAL = 1;

/**
 * Mines blocks now. The first follows the clock, or the timestamp that was set for it; the others are an interval apart,
 * after which time goes on from the last. The pool's transactions go into the first ones. When none is left and 128 or
 * more blocks are to come, all of these but the last are reserved: they are there, each made when it is asked for, but
 * their hashes are not the Keccak of their headers, and filters and subscribers do not hear of them.
 */
export const hardhat_mine = defineMethod({
  name: 'hardhat_mine',
  summary: 'Mines blocks now, a second apart or as far as is said',
  params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0x3', '0xa'], result: true },
  handler: async ({ chain }, count, interval) => {
    const distance = interval ?? (chain.controls.timestampInterval === null ? DEFAULT_INTERVAL : 0);
    await chain.mineBulk({ count, interval: { seconds: distance, movesFirst: false } });
  },
});
