import { address } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Adds wei to the balance of an account in the state after the head, up to 2^256 - 1, without a block. */
export const anvil_addBalance = defineMethod({
  name: 'anvil_addBalance',
  aliases: { hardhat_addBalance: TRUE, tenderly_addBalance: NULL },
  summary: 'Adds to the balance of an account',
  params: [param('address', address), param('amount', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0x1'], result: null },
  handler: ({ chain }, account, amount) => chain.cheats.addBalance(account, amount),
});
