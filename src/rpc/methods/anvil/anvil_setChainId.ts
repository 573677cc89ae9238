import { chainId } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/**
 * Sets the id that transactions are signed for and CHAINID answers, from now on; it is the network id too unless the node
 * was given one. Transactions that were taken before stay.
 */
export const anvil_setChainId = defineMethod({
  name: 'anvil_setChainId',
  aliases: { hardhat_setChainId: TRUE },
  summary: 'Sets the chain id',
  params: [param('chainId', chainId)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x7a69'], result: null },
  handler: ({ chain }, id) => chain.controls.changeSettings({ chainId: id }),
});
