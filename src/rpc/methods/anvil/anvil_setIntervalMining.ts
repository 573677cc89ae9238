import { blockTimeOf, intervalAmount } from '../../codecs/time.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

const SECOND = 1;

/**
 * Sets the seconds between blocks on a timer, or bounds in milliseconds between which each distance is drawn. 0 stops the
 * timer. Instant mining stays as it is, but in the dialect anvil it ends.
 */
export const anvil_setIntervalMining = defineMethod({
  name: 'anvil_setIntervalMining',
  aliases: { ganache_setIntervalMining: TRUE },
  summary: 'Sets the seconds between blocks on a timer',
  params: [param('interval', intervalAmount)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x5'], result: null },
  handler: ({ chain, settings }, interval) =>
    settings.compat.mining.setBlockTime(chain, blockTimeOf(interval, SECOND)),
});
