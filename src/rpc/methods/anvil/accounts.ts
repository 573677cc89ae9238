import { address, data, storageKey } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { accountNonce, storageValue } from '../../codecs/settings.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the nonce of an account in the state after the head, lower than before too. Transactions in the pool whose nonce is
 * below it by then are dropped. */
const anvil_setNonce = defineMethod({
  name: 'anvil_setNonce',
  aliases: { hardhat_setNonce: TRUE, ganache_setNonce: TRUE, evm_setAccountNonce: TRUE },
  summary: 'Sets the nonce of an account',
  differs: {
    anvil_setNonce: 'Transactions of the pool below the nonce are dropped',
    hardhat_setNonce: 'May be lower than before, and set while transactions wait; those below it are dropped',
    evm_setAccountNonce: 'Mines no block',
  },
  params: [param('address', address), param('nonce', accountNonce)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  handler: ({ chain }, account, nonce) => chain.cheats.setNonce(account, nonce),
});

/** Sets a slot of the storage of an account in the state after the head. Short values stand at the right of the slot. */
const anvil_setStorageAt = defineMethod({
  name: 'anvil_setStorageAt',
  aliases: { hardhat_setStorageAt: TRUE, ganache_setStorageAt: TRUE, evm_setAccountStorageAt: TRUE },
  summary: 'Sets a slot of the storage of an account',
  differs: {
    anvil_setStorageAt: 'Short values are padded',
    hardhat_setStorageAt: 'Short values are padded',
    evm_setAccountStorageAt: 'Mines no block; short slots are padded',
  },
  params: [param('address', address), param('slot', storageKey), param('value', storageValue)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  handler: ({ chain }, account, slot, value) => chain.cheats.setStorageAt(account, slot, value),
});

export const ANVIL_ACCOUNTS: readonly Method[] = [
  /** Sets the balance (wei) of an account in the state after the head, without a block. */
  defineMethod({
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
    handler: ({ chain }, account, balance) => chain.cheats.setBalance(account, balance),
  }),
  /** Adds wei to the balance of an account in the state after the head, up to 2^256 - 1, without a block. */
  defineMethod({
    name: 'anvil_addBalance',
    aliases: { hardhat_addBalance: TRUE, tenderly_addBalance: NULL },
    summary: 'Adds to the balance of an account',
    params: [param('address', address), param('amount', quantity)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, account, amount) => chain.cheats.addBalance(account, amount),
  }),
  /** Sets the code of an account in the state after the head; none for `0x`. Its size is not limited. */
  defineMethod({
    name: 'anvil_setCode',
    aliases: { hardhat_setCode: TRUE, ganache_setCode: TRUE, evm_setAccountCode: TRUE },
    summary: 'Sets the code of an account',
    differs: {
      evm_setAccountCode: 'Mines no block',
    },
    params: [param('address', address), param('code', data)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, account, code) => chain.cheats.setCode(account, code),
  }),
  anvil_setNonce,
  anvil_setStorageAt,
  /**
   * Sets the balance that a token (ERC-20) says an account has; the total supply stays. An error for a token that keeps
   * balances in a form that cannot be found out.
   */
  defineMethod({
    name: 'anvil_dealERC20',
    aliases: { anvil_setERC20Balance: NULL, hardhat_dealERC20: TRUE },
    summary: 'Sets the balance of an account in a token',
    differs: 'Error -32000 when no slot is found, not -32603, which clients try again',
    params: [param('account', address), param('token', address), param('amount', quantity)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain, checkInterrupt }, account, token, amount) =>
      chain.tokenCheats.setBalance(token, account, amount, checkInterrupt),
  }),
  /**
   * Sets the amount that a token (ERC-20) says a spender may take from an owner. An error for a token that keeps
   * allowances in a form that cannot be found out.
   */
  defineMethod({
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
    handler: ({ chain, checkInterrupt }, owner, spender, token, amount) =>
      chain.tokenCheats.setAllowance(token, owner, spender, amount, checkInterrupt),
  }),
];
