import { mineOptions } from '../../codecs/mine-options.ts';
import { defineMethod, optional } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/**
 * Mines a block now, or several; the first gets the timestamp, when one is given. What it answers follows the dialect.
 * Long runs of empty blocks are reserved, see `hardhat_mine`.
 */
export const evm_mine = defineMethod({
  name: 'evm_mine',
  aliases: { hardhat_intervalMine: TRUE },
  summary: 'Mines blocks now',
  differs: 'Takes `{blocks, timestamp}` with either left out, and goes on a second apart from the timestamp',
  params: [optional('options', mineOptions, {})],
  result: { description: 'Nothing of meaning', schema: { type: ['string', 'null'] } },
  example: { params: [], result: null },
  handler: async ({ chain, settings }, options) => {
    await chain.mineBulk(options);
    return settings.compat.mineResult;
  },
});
