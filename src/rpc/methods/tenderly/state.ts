import type { Chain } from '../../../chain/chain.ts';
import { arrayOf, chosenBy, refined } from '../../codecs/codec.ts';
import { address, data, quantity, storageKey } from '../../codecs/hex-values.ts';
import { storageValue } from '../../codecs/settings.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';

const oneAddress = refined(address, (account) => ({ value: [account] }));
/** Maximum accounts of a change. */
const MAX_ADDRESSES = 1_000;

const severalAddresses = arrayOf(address, `an array of at most ${MAX_ADDRESSES} addresses`, MAX_ADDRESSES);

/** One address, or an array of addresses. */
const addresses = chosenBy(
  (value) => (Array.isArray(value) ? severalAddresses : oneAddress),
  [oneAddress, severalAddresses],
);

const NO_BLOCK = 'Mines no block and returns null; Tenderly mines a block and returns a transaction hash';

const NOTHING = { description: 'null', schema: { type: 'null' } } as const;

/** Changes accounts one after another, in the order of the request. */
async function forEachAccount(
  accounts: readonly Uint8Array[],
  change: (account: Uint8Array) => unknown,
): Promise<void> {
  for (const account of accounts) await change(account);
}

type Cheat = (chain: Chain, account: Uint8Array, amount: bigint) => unknown;

const setBalance: Cheat = ({ cheats }, account, amount) => cheats.setBalance(account, amount);
const addBalance: Cheat = ({ cheats }, account, amount) => cheats.addBalance(account, amount);

export const TENDERLY_STATE: readonly Method[] = [
  defineMethod({
    name: 'tenderly_setBalance',
    summary: 'Sets the balance of one or several accounts',
    differs: NO_BLOCK,
    params: [param('addresses', addresses), param('balance', quantity)],
    result: NOTHING,
    shape: NULL,
    handler: ({ node: { chain } }, accounts, balance) =>
      forEachAccount(accounts, (account) => setBalance(chain, account, balance)),
  }),
  defineMethod({
    name: 'tenderly_addBalance',
    summary: 'Adds to the balance of one or several accounts',
    differs: NO_BLOCK,
    params: [param('addresses', addresses), param('amount', quantity)],
    result: NOTHING,
    shape: NULL,
    handler: ({ node: { chain } }, accounts, amount) =>
      forEachAccount(accounts, (account) => addBalance(chain, account, amount)),
  }),
  /** Does not change the total supply and emits no event. Rejects if the balance slot cannot be found. */
  defineMethod({
    name: 'tenderly_setErc20Balance',
    summary: 'Sets the ERC-20 token balance of one or several accounts',
    differs: NO_BLOCK,
    params: [param('token', address), param('addresses', addresses), param('amount', quantity)],
    result: NOTHING,
    shape: NULL,
    handler: ({ node: { chain }, deadline }, token, accounts, amount) =>
      forEachAccount(accounts, (account) => chain.tokenCheats.setBalance(token, account, amount, deadline)),
  }),
  /** Short slots and values are padded with zeros on the left. */
  defineMethod({
    name: 'tenderly_setStorageAt',
    summary: 'Sets a storage slot of an account',
    differs: NO_BLOCK,
    params: [param('address', address), param('slot', storageKey), param('value', storageValue)],
    result: NOTHING,
    shape: NULL,
    handler: ({ node: { chain } }, account, slot, value) => chain.cheats.setStorageAt(account, slot, value),
  }),
  /** `0x` removes the code. */
  defineMethod({
    name: 'tenderly_setCode',
    summary: 'Sets the code of an account',
    differs: NO_BLOCK,
    params: [param('address', address), param('code', data)],
    result: NOTHING,
    shape: NULL,
    handler: ({ node: { chain } }, account, code) => chain.cheats.setCode(account, code),
  }),
];
