import { seconds } from '../../codecs/quantity.ts';
import { blockCount } from '../../codecs/settings.ts';
import { defineMethod, optional } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';

/**
 * Mines blocks now. An interval moves the clock before each of them, the first too, for good. Long runs of empty blocks
 * are reserved, see `hardhat_mine`.
 */
export const anvil_mine = defineMethod({
  name: 'anvil_mine',
  summary: 'Mines blocks now',
  params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x3', '0xa'], result: null },
  handler: async ({ chain }, count, interval) => {
    await chain.mineBulk(
      interval === null ? { count } : { count, interval: { seconds: interval, movesFirst: true } },
    );
  },
});
