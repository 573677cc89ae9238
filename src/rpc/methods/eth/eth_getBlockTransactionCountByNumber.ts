import { toQuantity } from '../../../primitives/hex.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** The number of transactions in the block with a number or tag. */
export const eth_getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions in a block, by number',
  params: [param('block', blockNumberSelector)],
  result: { description: 'The number of transactions', schema: QUANTITY_JSON_SCHEMA },
  example: { params: ['latest'], result: '0x1' },
  handler: async (context, block) => {
    const found = await requireBlock(context, block);
    return toQuantity(found.transactions.length);
  },
});
