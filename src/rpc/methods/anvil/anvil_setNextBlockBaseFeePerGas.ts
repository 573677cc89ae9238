import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the base fee (wei per gas) of the next block, once. An error under rule sets without one; there the least gas price
 * can be set. */
export const anvil_setNextBlockBaseFeePerGas = defineMethod({
  name: 'anvil_setNextBlockBaseFeePerGas',
  aliases: { hardhat_setNextBlockBaseFeePerGas: TRUE, ganache_setNextBlockBaseFeePerGas: TRUE },
  summary: 'Sets the base fee of the next block',
  differs: "An error under the network's own rules, which have no base fee",
  params: [param('baseFee', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: {
    params: ['0x1'],
    result: null,
    error: {
      code: -32602,
      message:
        'Blocks have no base fee under the rule set rootstock; choose another rule set with --hardfork',
    },
  },
  handler: ({ chain }, baseFee) => chain.controls.setNextBaseFee(baseFee),
});
