import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** The number of the newest block. */
export const eth_blockNumber = defineMethod({
  name: 'eth_blockNumber',
  summary: 'The number of the newest block',
  params: [],
  result: { description: 'The block number', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x4' },
  handler: ({ chain }) => toQuantity(chain.head().header.number),
});
