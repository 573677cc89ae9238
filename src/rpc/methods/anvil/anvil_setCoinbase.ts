import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the address that the next blocks pay fees to. */
export const anvil_setCoinbase = defineMethod({
  name: 'anvil_setCoinbase',
  aliases: { hardhat_setCoinbase: TRUE, ganache_setCoinbase: TRUE, miner_setEtherbase: TRUE },
  summary: 'Sets the address that gets the fees of the next blocks',
  params: [param('address', address)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'], result: null },
  handler: ({ chain }, coinbase) => chain.controls.changeSettings({ coinbase }),
});
