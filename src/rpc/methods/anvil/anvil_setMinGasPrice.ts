import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the wei per gas below which the pool takes no transaction; the next blocks tell it in their headers. */
export const anvil_setMinGasPrice = defineMethod({
  name: 'anvil_setMinGasPrice',
  aliases: { hardhat_setMinGasPrice: TRUE, ganache_setMinGasPrice: TRUE },
  summary: 'Sets the least gas price that is taken',
  differs: {
    anvil_setMinGasPrice: 'Works under rules with a base fee too',
    hardhat_setMinGasPrice: 'Works under rules with a base fee too',
  },
  params: [param('price', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x3b9aca00'], result: null },
  handler: ({ chain }, minimumGasPrice) => chain.controls.setMinimumGasPrice(minimumGasPrice),
});
