import { address } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/**
 * Sets the balance that a token (ERC-20) says an account has; the total supply stays. An error for a token that keeps
 * balances in a form that cannot be found out.
 */
export const anvil_dealERC20 = defineMethod({
  name: 'anvil_dealERC20',
  aliases: { anvil_setERC20Balance: NULL, hardhat_dealERC20: TRUE },
  summary: 'Sets the balance of an account in a token',
  differs: 'Error -32000 when no slot is found, not -32603, which clients try again',
  params: [param('account', address), param('token', address), param('amount', quantity)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: {
    before: [
      {
        method: 'anvil_setCode',
        params: ['0x00000000000000000000000000000000000070cc', '0x6004355460005260206000f3'],
      },
    ],
    params: [
      '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      '0x00000000000000000000000000000000000070cc',
      '0x3e8',
    ],
    result: null,
  },
  handler: ({ chain, checkInterrupt }, account, token, amount) =>
    chain.tokenCheats.setBalance(token, account, amount, checkInterrupt),
});
