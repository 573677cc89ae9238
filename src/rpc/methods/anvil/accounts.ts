import { LATEST } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { impersonateSignature } from '../../../chain/mining-controls.ts';
import { fetchingState } from '../../../state/state-source.ts';
import { boolean, pairOf } from '../../codecs/basic.ts';
import { chosenBy, refined } from '../../codecs/codec.ts';
import { address, data, quantity, signature65, storageKey } from '../../codecs/hex-values.ts';
import { accountNonce, storageValue } from '../../codecs/settings.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the nonce after the head; it may decrease. Pool transactions below the new nonce are dropped. */
const anvil_setNonce = defineMethod({
  name: 'anvil_setNonce',
  aliases: { ganache_setNonce: TRUE, evm_setAccountNonce: TRUE },
  summary: 'Sets the nonce of an account',
  differs: {
    anvil_setNonce: 'Drops pending transactions whose nonce is below the new nonce',
    evm_setAccountNonce: 'Mines no block',
  },
  params: [param('address', address), param('nonce', accountNonce)],
  result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  handler: ({ node: { chain } }, account, nonce) => chain.cheats.setNonce(account, nonce),
});

/** As `anvil_setNonce`. In compat mode `hardhat`, the nonce cannot decrease, as in Hardhat. */
const hardhat_setNonce = defineMethod({
  name: 'hardhat_setNonce',
  summary: 'Sets the nonce of an account',
  differs:
    'Allowed while the account has pending transactions; pending transactions whose nonce is below the new nonce are dropped. With `--compat hardhat`, the nonce cannot decrease',
  params: [param('address', address), param('nonce', accountNonce)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  handler: ({ node: { chain }, settings }, account, nonce) =>
    chain.cheats.setNonce(account, nonce, settings.compat.noncesMayFall),
});

/** Sets a storage slot in the state after the head. Short values are padded with zeros on the left. */
const anvil_setStorageAt = defineMethod({
  name: 'anvil_setStorageAt',
  aliases: { hardhat_setStorageAt: TRUE, ganache_setStorageAt: TRUE, evm_setAccountStorageAt: TRUE },
  summary: 'Sets a storage slot of an account',
  differs: {
    anvil_setStorageAt: 'Short values are padded with leading zeros',
    hardhat_setStorageAt: 'Short values are padded with leading zeros',
    evm_setAccountStorageAt: 'Mines no block. Short slots and values are padded with leading zeros',
  },
  params: [param('address', address), param('slot', storageKey), param('value', storageValue)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  handler: ({ node: { chain } }, account, slot, value) => chain.cheats.setStorageAt(account, slot, value),
});

/** A signature and its new signer; `null` if the signer is the second parameter. */
interface GivenSignature {
  readonly signature: Uint8Array;
  readonly signer: Uint8Array | null;
}

const signatureAlone = refined(signature65, (signature) => ({
  value: { signature, signer: null } as GivenSignature,
}));

/** Anvil's form: one parameter with both. */
const signatureAndSigner = refined(
  pairOf(signature65, address, 'an array of two items: a signature and an address'),
  ([signature, signer]) => ({ value: { signature, signer } as GivenSignature }),
);

const givenSignature = chosenBy(
  (value) => (Array.isArray(value) ? signatureAndSigner : signatureAlone),
  [signatureAlone, signatureAndSigner],
);

/** Impersonates an account. If its balance is 0, sets it to `funds` (wei). */
async function impersonateWithFunds(chain: Chain, account: Uint8Array, funds: bigint): Promise<unknown> {
  const { state } = await chain.view(LATEST);
  const balance = await fetchingState(() => state.account(account)?.balance ?? 0n);
  if (balance === 0n) await chain.cheats.setBalance(account, funds);
  return chain.impersonation.add(account);
}

export const ANVIL_ACCOUNTS: readonly Method[] = [
  /** In wei, in the state after the head, without a block. */
  defineMethod({
    name: 'anvil_setBalance',
    aliases: {
      hardhat_setBalance: TRUE,
      ganache_setBalance: TRUE,
      evm_setAccountBalance: TRUE,
    },
    summary: 'Sets the balance of an account',
    differs: {
      evm_setAccountBalance: 'Mines no block',
      hardhat_setBalance: 'Also accepts JSON numbers and decimal strings',
    },
    params: [param('address', address), param('balance', quantity)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, account, balance) => chain.cheats.setBalance(account, balance),
  }),
  /** In wei, up to a balance of 2^256 - 1, without a block. */
  defineMethod({
    name: 'anvil_addBalance',
    aliases: { hardhat_addBalance: TRUE },
    summary: 'Adds to the balance of an account',
    params: [param('address', address), param('amount', quantity)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, account, amount) => chain.cheats.addBalance(account, amount),
  }),
  /** `0x` removes the code. The size is unlimited. */
  defineMethod({
    name: 'anvil_setCode',
    aliases: { hardhat_setCode: TRUE, ganache_setCode: TRUE, evm_setAccountCode: TRUE },
    summary: 'Sets the code of an account',
    differs: {
      evm_setAccountCode: 'Mines no block',
    },
    params: [param('address', address), param('code', data)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, account, code) => chain.cheats.setCode(account, code),
  }),
  anvil_setNonce,
  hardhat_setNonce,
  anvil_setStorageAt,
  /**
   * Sets an account's ERC-20 balance, but not the total supply. Rejects if the balance slot cannot be found.
   */
  defineMethod({
    name: 'anvil_dealERC20',
    aliases: { anvil_setERC20Balance: NULL, hardhat_dealERC20: TRUE },
    summary: 'Sets the ERC-20 token balance of an account',
    differs:
      'Returns error -32000 if no balance slot is found. Anvil returns -32603, a code that makes clients repeat the request',
    params: [param('account', address), param('token', address), param('amount', quantity)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain }, deadline }, account, token, amount) =>
      chain.tokenCheats.setBalance(token, account, amount, deadline),
  }),
  /** Sets the ERC-20 allowance of a spender. Rejects if the allowance slot cannot be found. */
  defineMethod({
    name: 'anvil_setERC20Allowance',
    aliases: { hardhat_setERC20Allowance: TRUE },
    summary: 'Sets the ERC-20 allowance of a spender',
    differs:
      'Returns error -32000 if no allowance slot is found. Anvil returns -32603, a code that makes clients repeat the request',
    params: [
      param('owner', address),
      param('spender', address),
      param('token', address),
      param('amount', quantity),
    ],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain }, deadline }, owner, spender, token, amount) =>
      chain.tokenCheats.setAllowance(token, owner, spender, amount, deadline),
  }),
  /**
   * The account may be a contract. It pays for its transactions. With `--auto-fund`, an account whose balance is 0
   * receives the amount of `--balance`.
   */
  defineMethod({
    name: 'anvil_impersonateAccount',
    aliases: { hardhat_impersonateAccount: TRUE, ganache_impersonateAccount: TRUE },
    summary: 'Impersonates an account: transactions from it need no key',
    differs: {
      hardhat_impersonateAccount:
        'The account pays for its transactions. With `--auto-fund`, an account without funds receives some',
    },
    params: [param('address', address)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain }, settings: { impersonationFunds: funds } }, account) =>
      funds === null ? chain.impersonation.add(account) : impersonateWithFunds(chain, account, funds),
  }),
  /** `false` ends it, except for accounts impersonated by address. */
  defineMethod({
    name: 'anvil_autoImpersonateAccount',
    aliases: { hardhat_autoImpersonateAccount: TRUE },
    summary: 'Switches impersonation of every account on or off',
    params: [param('enabled', boolean)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, enabled) => chain.impersonation.setAutomatic(enabled),
  }),
  /**
   * Sets the signer of a signature for any message. Contracts that pass its r, s and v to ECRECOVER get the
   * address. An authorization with this signature is valid for the address (EIP-7702; v is then 27 or 28).
   * Transactions and messages outside contracts are unaffected. Also accepts an array of both. A revert to an
   * earlier snapshot and a reset undo it.
   */
  defineMethod({
    name: 'anvil_impersonateSignature',
    summary: 'Sets the address that counts as the signer of a signature, in ECRECOVER and authorizations',
    params: [param('signature', givenSignature), optional('address', address, null)],
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    shape: NULL,
    handler: ({ node: { chain } }, { signature, signer }, account) => {
      const named = signer ?? account;
      if (named === null || (signer !== null && account !== null)) {
        const got = named === null ? 'nothing' : 'two addresses';
        throw new InvalidParamsError(
          'address',
          'one address, either as the second parameter or in an array with the signature',
          got,
        );
      }
      return chain.change(impersonateSignature(signature, named));
    },
  }),
];
