import { address } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/**
 * Sets the amount that a token (ERC-20) says a spender may take from an owner. An error for a token that keeps
 * allowances in a form that cannot be found out.
 */
export const anvil_setERC20Allowance = defineMethod({
  name: 'anvil_setERC20Allowance',
  aliases: { hardhat_setERC20Allowance: TRUE },
  summary: 'Sets what a spender may take from an owner in a token',
  differs: 'Error -32000 when no slot is found, not -32603, which clients try again',
  params: [
    param('owner', address),
    param('spender', address),
    param('token', address),
    param('amount', quantity),
  ],
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
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      '0x00000000000000000000000000000000000070cc',
      '0x3e8',
    ],
    result: null,
  },
  handler: ({ chain, checkInterrupt }, owner, spender, token, amount) =>
    chain.tokenCheats.setAllowance(token, owner, spender, amount, checkInterrupt),
});
