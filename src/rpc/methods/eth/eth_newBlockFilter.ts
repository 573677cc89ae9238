import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** Makes a filter of new blocks: `eth_getFilterChanges` tells their hashes. */
export const eth_newBlockFilter = defineMethod({
  name: 'eth_newBlockFilter',
  summary: 'Makes a filter of new blocks',
  params: [],
  result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x1010101010101010101010101010101' },
  handler: ({ chain }) => toQuantity(chain.filters.addBlocks()),
});
