import { seconds } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the seconds from each block to the next, whatever the clock says; blocks stay at least a second apart. */
export const anvil_setBlockTimestampInterval = defineMethod({
  name: 'anvil_setBlockTimestampInterval',
  aliases: { ganache_setBlockTimestampInterval: TRUE },
  summary: 'Sets the seconds from each block to the next',
  params: [param('interval', seconds)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0xc'], result: null },
  handler: ({ chain }, interval) => chain.controls.setTimestampInterval(interval),
});
