import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** The gas price that a transaction needs to be mined, in wei. */
export const eth_gasPrice = defineMethod({
  name: 'eth_gasPrice',
  summary: 'The price per gas in wei',
  params: [],
  result: { description: 'Wei per gas', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: ({ chain }) => toQuantity(chain.fees.gasPrice()),
});
