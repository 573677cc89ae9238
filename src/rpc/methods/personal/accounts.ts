import { toHex } from '../../../primitives/hex.ts';
import { DEFAULT_UNLOCK_DURATION } from '../../../wallet/wallet.ts';
import { address, passphrase, rawKey, seedText, unlockDuration } from '../../codecs/data.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { listedAccounts } from '../eth/accounts.ts';

export const PERSONAL_ACCOUNTS: readonly Method[] = [
  /** The private key of an unlocked account. */
  defineMethod({
    name: 'personal_dumpRawKey',
    summary: 'The private key of an unlocked account',
    hidesParams: true,
    params: [param('address', address)],
    needsKeys: true,
    result: { description: 'The private key, 32 bytes', schema: rawKey.jsonSchema },
    handler: (context, account) => {
      return toHex(context.chain.wallet.privateKey(account));
    },
  }),
  /**
   * Keeps a private key under the passphrase and leaves it unlocked for 30 minutes. For a key that the node has already
   * the passphrase replaces the earlier one; such an account stays unlocked if it was for good.
   */
  defineMethod({
    name: 'personal_importRawKey',
    summary: 'Imports a private key',
    params: [param('key', rawKey), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: async (context, key, words) => {
      return toHex(await context.chain.wallet.importKey(key, words));
    },
  }),
  /** The accounts whose keys the node keeps, locked ones too; none on a hosted node. */
  defineMethod({
    name: 'personal_listAccounts',
    summary: 'The accounts whose keys the node keeps',
    params: [],
    result: { description: 'The addresses', schema: { type: 'array', items: address.jsonSchema } },
    handler: listedAccounts,
  }),
  /** Locks an account: the node signs nothing with it until it is unlocked again. */
  defineMethod({
    name: 'personal_lockAccount',
    summary: 'Locks an account',
    hidesParams: true,
    params: [param('address', address)],
    needsKeys: true,
    result: { description: 'True when the account was unlocked', schema: { type: 'boolean' } },
    handler: (context, account) => {
      return context.chain.wallet.lock(account);
    },
  }),
  /** Makes an account with a random key, keeps it under the passphrase, and leaves it unlocked for 30 minutes. */
  defineMethod({
    name: 'personal_newAccount',
    summary: 'Makes an account with a random key',
    params: [param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: async (context, words) => {
      return toHex(await context.chain.wallet.createAccount(words));
    },
  }),
  /**
   * Makes the account whose key is the Keccak of the seed text (UTF-8): the same seed gives the same account on every
   * node. It has no passphrase and is unlocked until it is locked; the empty passphrase unlocks it again.
   */
  defineMethod({
    name: 'personal_newAccountWithSeed',
    summary: 'Makes the account of a seed text',
    params: [param('seed', seedText)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: (context, seed) => {
      return toHex(context.chain.wallet.addSeedAccount(seed));
    },
  }),
  /**
   * Unlocks an account for a duration in milliseconds of the chain's time: 30 minutes where none is given, until it is
   * locked for 0. Accounts of the start and of seeds have no passphrase and take the empty one; an account that is
   * unlocked for good stays so. False for an address that the node has no key of.
   */
  defineMethod({
    name: 'personal_unlockAccount',
    summary: 'Unlocks an account for some time',
    params: [
      param('address', address),
      param('passphrase', passphrase),
      optional('duration', unlockDuration, null),
    ],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'True when the account is unlocked', schema: { type: 'boolean' } },
    handler: (context, account, words, duration) => {
      return context.chain.wallet.unlock(account, words, duration ?? DEFAULT_UNLOCK_DURATION);
    },
  }),
];
