import { depth } from '../../codecs/settings.ts';
import { defineMethod, optional } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/**
 * Takes the newest blocks away, their transactions too. Filters and subscriptions are told; snapshots taken on those
 * blocks are gone.
 */
export const anvil_rollback = defineMethod({
  name: 'anvil_rollback',
  aliases: { hardhat_rollback: TRUE },
  summary: 'Takes the newest blocks away',
  differs: 'The depth may be left out',
  params: [optional('depth', depth, 1)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x2'], result: null },
  handler: ({ chain }, blocks) => chain.reorganizer.rollback(blocks),
});
