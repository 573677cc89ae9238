import { address } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the balance (wei) of an account in the state after the head, without a block. */
export const anvil_setBalance = defineMethod({
  name: 'anvil_setBalance',
  aliases: {
    hardhat_setBalance: TRUE,
    ganache_setBalance: TRUE,
    tenderly_setBalance: NULL,
    evm_setAccountBalance: TRUE,
  },
  summary: 'Sets the balance of an account',
  differs: {
    evm_setAccountBalance: 'Mines no block',
    hardhat_setBalance: 'Numbers and decimal texts are taken too',
  },
  params: [param('address', address), param('balance', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0xde0b6b3a7640000'], result: null },
  handler: ({ chain }, account, balance) => chain.cheats.setBalance(account, balance),
});
