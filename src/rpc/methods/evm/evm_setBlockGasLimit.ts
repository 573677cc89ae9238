import { blockGasLimit } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Sets the gas of each block from the next on. Transactions in the pool that ask for more are dropped. */
export const evm_setBlockGasLimit = defineMethod({
  name: 'evm_setBlockGasLimit',
  aliases: { anvil_setBlockGasLimit: TRUE, hardhat_setBlockGasLimit: TRUE, ganache_setBlockGasLimit: TRUE },
  summary: 'Sets the gas of the next blocks',
  differs: '0 is refused; transactions of the pool that ask for more are dropped',
  params: [param('gasLimit', blockGasLimit)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0x1c9c380'], result: true },
  handler: ({ chain }, gasLimit) => chain.controls.setGasLimit(gasLimit),
});
