import { toHex } from '../../../primitives/hex.ts';
import type { Signature } from '../../../primitives/secp256k1/secp256k1.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { MessageSignerNotFoundError } from '../../../wallet/errors.ts';
import { DEFAULT_UNLOCK_DURATION, messageHash, recoverSigner } from '../../../wallet/wallet.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { leaf } from '../../codecs/codec.ts';
import {
  address,
  data,
  hash32,
  passphrase,
  rawKey,
  readFixedData,
  seedText,
  unlockDuration,
} from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { blobRequest, encodedForSending } from '../../sending.ts';
import { listedAccounts, signatureHex, signWithAccount } from '../eth/accounts.ts';
import { SIGNED_TRANSACTION_JSON_SCHEMA, sendAndAnswer, signedTransactionView } from '../eth/send.ts';

const SIGNATURE_SIZE = 65;
const RECOVERIES: ReadonlyMap<number | undefined, number> = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

/** A signature over a message: `r`, `s`, and 27 or 28 (or 0 or 1, as some wallets send). */
const messageSignature = leaf<Signature>(
  'a signature: 65 bytes, the last byte 27 or 28',
  { type: 'string', pattern: '^0x[0-9a-fA-F]{128}(00|01|1[bB]|1[cC])$' },
  (value) => {
    const bytes = readFixedData(value, SIGNATURE_SIZE);
    const recovery = RECOVERIES.get(bytes?.at(-1));
    return bytes === undefined || recovery === undefined
      ? undefined
      : { compact: bytes.subarray(0, SIGNATURE_SIZE - 1), recovery };
  },
);

export const PERSONAL: readonly Method[] = [
  defineMethod({
    name: 'personal_dumpRawKey',
    summary: 'The private key of an unlocked account',
    hidesParams: true,
    params: [param('address', address)],
    needsKeys: true,
    result: { description: 'The private key, 32 bytes', schema: rawKey.jsonSchema },
    handler: (context, account) => {
      return toHex(context.node.chain.wallet.privateKey(account));
    },
  }),
  /**
   * Imports a private key, encrypts it with the passphrase, and leaves it unlocked for 30 minutes. For a
   * known key, the passphrase replaces the earlier one; a permanently unlocked account stays unlocked.
   */
  defineMethod({
    name: 'personal_importRawKey',
    summary: 'Imports a private key',
    params: [param('key', rawKey), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: async (context, key, words) => {
      return toHex(await context.node.chain.wallet.importKey(key, words));
    },
  }),
  /** Includes locked accounts. Empty in hosted-node mode. */
  defineMethod({
    name: 'personal_listAccounts',
    summary: 'The accounts whose keys the node has',
    result: { description: 'The addresses', schema: { type: 'array', items: address.jsonSchema } },
    handler: listedAccounts,
  }),
  /** The node signs nothing with the account until it is unlocked again. */
  defineMethod({
    name: 'personal_lockAccount',
    summary: 'Locks an account',
    hidesParams: true,
    params: [param('address', address)],
    needsKeys: true,
    result: { description: 'true if the account was unlocked', schema: { type: 'boolean' } },
    handler: (context, account) => {
      return context.node.chain.wallet.lock(account);
    },
  }),
  /** Encrypts the key with the passphrase, and leaves the account unlocked for 30 minutes. */
  defineMethod({
    name: 'personal_newAccount',
    summary: 'Creates an account with a random key',
    params: [param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: async (context, words) => {
      return toHex(await context.node.chain.wallet.createAccount(words));
    },
  }),
  /**
   * Creates an account whose key is the Keccak hash of the seed (UTF-8), so that every node derives the same
   * account. It has no passphrase and is unlocked; after a lock, the empty passphrase unlocks it.
   */
  defineMethod({
    name: 'personal_newAccountWithSeed',
    summary: 'Creates an account from a seed',
    params: [param('seed', seedText)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The address', schema: address.jsonSchema },
    handler: (context, seed) => {
      return toHex(context.node.chain.wallet.addSeedAccount(seed));
    },
  }),
  /**
   * Unlocks an account for a duration in milliseconds of real time: 30 minutes by default, and 0 for no
   * limit. Accounts of the start and of seeds have the empty passphrase. A permanently unlocked account stays
   * unlocked. Returns false if the node has no key of the address.
   */
  defineMethod({
    name: 'personal_unlockAccount',
    summary: 'Unlocks an account for a duration',
    params: [
      param('address', address),
      param('passphrase', passphrase),
      optional('duration', unlockDuration, null),
    ],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'true if the account is unlocked', schema: { type: 'boolean' } },
    handler: (context, account, words, duration) => {
      return context.node.chain.wallet.unlock(account, words, duration ?? DEFAULT_UNLOCK_DURATION);
    },
  }),
  /** The message was signed with personal_sign or eth_sign. */
  defineMethod({
    name: 'personal_ecRecover',
    summary: 'Recovers the account that signed a message',
    params: [param('message', data), param('signature', messageSignature)],
    result: { description: 'The address', schema: address.jsonSchema },
    handler: (_context, message, signature) => toHex(recoverSigner(messageHash(message), signature)),
  }),
  /** Sends as eth_sendTransaction does. A locked account stays locked. */
  defineMethod({
    name: 'personal_sendTransaction',
    summary: 'Signs a transaction with a passphrase and sends it',
    params: [param('transaction', transactionObject), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: async (context, transaction, words) => {
      const { chain } = context.node;
      const { generation, call } = context;
      const signHash = await chain.wallet.signerWithPassphrase(transaction.from, words);
      const { request, blobs } = await blobRequest(transaction, context);
      return sendAndAnswer(context, () =>
        signHash === null
          ? chain.sendUnsigned(transaction.from, request, { life: generation, call, blobs })
          : chain.sendFrom(transaction.from, request, { life: generation, signHash, call, blobs }),
      );
    },
  }),
  /**
   * Signs a prefixed message, which cannot be a transaction (EIP-191): eth_sign with swapped parameters. With
   * a passphrase, the account may be locked and stays locked; without one, it must be unlocked.
   */
  defineMethod({
    name: 'personal_sign',
    summary: 'Signs a message with an account of the node',
    params: [param('message', data), param('address', address), optional('passphrase', passphrase, '')],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
    handler: async (context, message, account, words) => {
      const hash = messageHash(message);
      if (words === '') return signWithAccount(context, account, hash);
      const signHash = await context.node.chain.wallet.signerWithPassphrase(account, words);
      if (signHash === null) throw new MessageSignerNotFoundError(account);
      return signatureHex(signHash(hash));
    },
  }),
  /**
   * Signs a transaction with an account and its passphrase, and returns it encoded and as an object, without
   * sending it. Absent fields are filled as by eth_sendTransaction. A locked account stays locked.
   */
  defineMethod({
    name: 'personal_signTransaction',
    summary: 'Signs a transaction with a passphrase without sending it',
    params: [param('transaction', transactionObject), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: {
      description: 'The signed transaction: encoded in `raw`, and as an object in `tx`',
      schema: SIGNED_TRANSACTION_JSON_SCHEMA,
    },
    handler: async (context, transaction, words) => {
      const { chain } = context.node;
      const signHash = await chain.wallet.signerWithPassphrase(transaction.from, words);
      if (signHash === null) throw new MessageSignerNotFoundError(transaction.from);
      const asked = await blobRequest(transaction, context);
      const slice = new TimeSlice(context.deadline);
      const signed = await chain.sign(transaction.from, asked.request, slice, signHash);
      return signedTransactionView(signed, await encodedForSending(signed, asked, context), context);
    },
  }),
];
