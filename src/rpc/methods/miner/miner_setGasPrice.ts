import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Sets the wei per gas that the node suggests; transactions that offer less are not taken. */
export const miner_setGasPrice = defineMethod({
  name: 'miner_setGasPrice',
  summary: 'Sets the gas price that is suggested, and the least that is taken',
  differs: 'Transactions that offer less are refused',
  params: [param('price', quantity)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0x1'], result: true },
  handler: ({ chain }, price) => chain.controls.setGasPrice(price),
});
