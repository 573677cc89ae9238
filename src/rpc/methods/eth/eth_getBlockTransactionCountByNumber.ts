import { toQuantity } from '../../../primitives/hex.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The number of transactions in the block with a number or tag; `null` when there is no such block. */
export const eth_getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions in a block, by number',
  params: [param('block', blockNumberSelector)],
  result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
  example: { params: ['latest'], result: '0x1' },
  handler: async ({ chain }, selector) => {
    const found = await chain.block(selector);
    return found === undefined ? null : toQuantity(found.transactions.length);
  },
});
