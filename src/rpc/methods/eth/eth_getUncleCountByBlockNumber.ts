import { toQuantity } from '../../../primitives/hex.ts';
import { requireBlock, requireServed } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** The number of uncles of the block with a number or tag. */
export const eth_getUncleCountByBlockNumber = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'The number of uncles of a block, by number',
  params: [param('block', blockNumberSelector)],
  result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
  example: { params: ['latest'], result: '0x0' },
  handler: async (context, block) => {
    requireServed(context, 'block', block);
    const found = await requireBlock(context, block);
    return toQuantity(found.uncles.length);
  },
});
