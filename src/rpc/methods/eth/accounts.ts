import { JsonLimitError, readJson } from '../../../json/json-reader.ts';
import { concatBytes } from '../../../primitives/bytes.ts';
import { type Hex, toHex } from '../../../primitives/hex.ts';
import type { Signature } from '../../../primitives/secp256k1/secp256k1.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { joinNetworkForm, splitNetworkForm } from '../../../protocol/blobs.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { MessageSignerNotFoundError } from '../../../wallet/errors.ts';
import { type TypedData, type TypedDataField, typedDataHash } from '../../../wallet/typed-data.ts';
import { messageHash } from '../../../wallet/wallet.ts';
import { recordOf } from '../../codecs/basic.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import {
  arrayOf,
  type Codec,
  chosenBy,
  decode,
  describeValue,
  isUnfinished,
  leaf,
  objectOf,
  type Reading,
  refined,
} from '../../codecs/codec.ts';
import { address, data } from '../../codecs/hex-values.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext, RpcSettings } from '../../rpc-context.ts';
import type { RpcNode } from '../../rpc-node.ts';
import { blobRequest, encodedForSending } from '../../sending.ts';

/** Returns the wallet's and, by compat mode, impersonated addresses. Empty in hosted-node mode. */
export function listedAccounts({
  node: { chain },
  settings,
}: {
  readonly node: Pick<RpcNode, 'chain'>;
  readonly settings: Pick<RpcSettings, 'hosted' | 'compat'>;
}): Hex[] {
  if (settings.hosted) return [];
  const impersonated = settings.compat.listsImpersonated ? chain.impersonation.addresses() : [];
  return Array.from(new Set([...chain.wallet.addresses(), ...impersonated].map(toHex)));
}

const FIRST_V = 27;

/** A signature in the form of wallets: `r`, `s`, and 27 or 28. */
export function signatureHex({ compact, recovery }: Signature): Hex {
  return toHex(concatBytes(compact, Uint8Array.of(FIRST_V + recovery)));
}

/** Signs a 32-byte hash with an unlocked account. Throws {@link MessageSignerNotFoundError}. */
export function signWithAccount({ node: { chain } }: RpcContext, account: Uint8Array, hash: Uint8Array): Hex {
  const { wallet } = chain;
  if (!wallet.isUnlocked(account)) throw new MessageSignerNotFoundError(account);
  return signatureHex(wallet.signHash(account, hash));
}

/** Returns the account of the node. Throws an {@link InvalidParamsError} if there are more accounts than one. */
function onlyAccount({ node: { chain } }: RpcContext): Uint8Array {
  const accounts = chain.wallet.addresses();
  const [account] = accounts;
  if (account !== undefined && accounts.length === 1) return account;
  throw new InvalidParamsError('account', 'the address of the account that signs', 'nothing');
}

const text = leaf('a string', { type: 'string' }, (value) => (typeof value === 'string' ? value : undefined));

const values = leaf<Readonly<Record<string, unknown>>>(
  'an object whose keys are member names',
  { type: 'object' },
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.hasOwn(value, '__proto__') ? undefined : (value as Readonly<Record<string, unknown>>);
  },
);

const FIELD = 'an object with name and type';

const field: Codec<TypedDataField> = refined(
  objectOf({ name: text, type: text }, FIELD),
  ({ name, type }): Reading<TypedDataField> =>
    name === null || type === null ? { path: [], expected: FIELD } : { value: { name, type } },
);

const typeEntries = recordOf(
  text,
  arrayOf(field, 'an array of members with name and type'),
  'an object whose keys are type names and whose values are arrays of members',
  (name, fields) => [name, fields] as const,
);

/** Work units per type. */
const TYPE_WORK = 64;

function* readTypes(value: unknown): Steps<Reading<TypedData['types']>> {
  const begun = typeEntries.read(value);
  const reading = isUnfinished(begun) ? yield* begun : begun;
  if (!('value' in reading)) return reading;
  const types: Record<string, readonly TypedDataField[]> = {};
  for (const [name, fields] of reading.value) {
    Object.defineProperty(types, name, { value: fields, enumerable: true });
    yield TYPE_WORK;
  }
  return { value: types };
}

const types: Codec<TypedData['types']> = { ...typeEntries, read: readTypes };

const EXPECTED = 'typed data: an object (or a JSON string) with types, primaryType, domain and message';

const typedDataObject: Codec<TypedData> = refined(
  objectOf({ types, primaryType: text, domain: values, message: values }, EXPECTED),
  (fields): Reading<TypedData> => {
    const { types: given, primaryType, domain, message } = fields;
    if (given === null || primaryType === null || message === null) return { path: [], expected: EXPECTED };
    return { value: { types: given, primaryType, domain: domain ?? {}, message } };
  },
);

/** JSON that is not parsed yet. */
interface JsonText {
  readonly json: string;
}

const typedDataText: Codec<JsonText> = leaf(EXPECTED, { type: 'string' }, (value) =>
  typeof value === 'string' ? { json: value } : undefined,
);

/** Typed data (EIP-712) as an object, or as JSON text for {@link readTypedData}. Clients send either. */
const typedData: Codec<TypedData | JsonText> = chosenBy<TypedData | JsonText>(
  (value) => (typeof value === 'string' ? typedDataText : typedDataObject),
  [typedDataObject, typedDataText],
);

/**
 * Maximum nesting of the JSON text of typed data. It exceeds the limit of the data, which has its own error.
 */
const NESTING_LIMIT = 1_000;

/** Maximum members of an object in the JSON text, as in a message. */
const MEMBER_LIMIT = 100_000;

/** Returns the typed data of the parameter `name`. Throws `InvalidParamsError` for invalid text. */
function* readTypedData(given: TypedData | JsonText, name: string): Steps<TypedData> {
  if (!('json' in given)) return given;
  const { json } = given;
  let value: unknown;
  try {
    value = yield* readJson(json, { levels: NESTING_LIMIT, members: MEMBER_LIMIT });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError)
      throw new InvalidParamsError(name, EXPECTED, describeValue(json));
    throw error;
  }
  return yield* decode(typedDataObject, name, value);
}

export const ETH_ACCOUNTS: readonly Method[] = [
  /** Empty in hosted-node mode. */
  defineMethod({
    name: 'eth_accounts',
    aliases: ['eth_requestAccounts'],
    summary: 'The accounts of the node',
    priority: 'high',
    result: { description: 'The addresses', schema: { type: 'array', items: address.jsonSchema } },
    handler: listedAccounts,
  }),
  /** Signs a prefixed message, which cannot be a transaction: `r`, `s`, and 27 or 28. */
  defineMethod({
    name: 'eth_sign',
    summary: 'Signs a message with an account of the node',
    hidesParams: true,
    params: [param('address', address), param('message', data)],
    needsKeys: true,
    result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
    handler: (context, account, message) => signWithAccount(context, account, messageHash(message)),
  }),
  /**
   * Signs a transaction with an unlocked account and fills absent fields as eth_sendTransaction does, without
   * sending it. Returns bytes, as Anvil and Ganache do, because ethers and viem expect bytes.
   */
  defineMethod({
    name: 'eth_signTransaction',
    summary: 'Signs a transaction without sending it',
    params: [param('transaction', transactionObject)],
    needsKeys: true,
    result: { description: 'The encoding of the signed transaction', schema: data.jsonSchema },
    handler: async (context, transaction) => {
      const slice = new TimeSlice(context.deadline);
      const asked = await blobRequest(transaction, context);
      const signed = await context.node.chain.sign(transaction.from, asked.request, slice);
      return context.deadline.run(hexInSteps(await encodedForSending(signed, asked, context)));
    },
  }),
  /**
   * Signs an unsigned transaction (typed, or legacy with or without EIP-155) with an unlocked account, without sending
   * it. Accepts the encodings of ethers, viem and eth_fillTransaction. The chain id is always part of the signature.
   * Nodes of the network Tempo have another method with this name; it adds the signature of a fee payer.
   */
  defineMethod({
    name: 'eth_signRawTransaction',
    summary: 'Signs an encoded transaction without sending it',
    params: [param('transaction', data), optional<Uint8Array | null>('account', address, null)],
    needsKeys: true,
    result: { description: 'The encoding of the signed transaction', schema: data.jsonSchema },
    handler: async (context, encoded, account) => {
      const { chain } = context.node;
      const { deadline } = context;
      const { decodeUnsignedTransaction } = await import('../../../protocol/unsigned-transaction.ts');
      const { raw, sidecar } = splitNetworkForm(encoded);
      const request = decodeUnsignedTransaction(raw, chain.ruleSet, chain.settings.chainId);
      const signed = await chain.sign(account ?? onlyAccount(context), request, new TimeSlice(deadline));
      const sent = sidecar === null ? signed.raw : joinNetworkForm(signed.raw, sidecar);
      return deadline.run(hexInSteps(sent));
    },
  }),
  /**
   * Signs typed data (EIP-712) with an unlocked account: `r`, `s`, and 27 or 28. Accepts an object or its
   * JSON text. The older method names behave the same.
   */
  defineMethod({
    name: 'eth_signTypedData_v4',
    aliases: ['eth_signTypedData', 'eth_signTypedData_v3'],
    summary: 'Signs typed data with an account of the node',
    params: [param('address', address), param('typedData', typedData)],
    needsKeys: true,
    result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
    handler: (context, account, given) => {
      return context.deadline.run(
        (function* () {
          const typed = yield* readTypedData(given, 'typedData');
          const hash = yield* typedDataHash(typed);
          return signWithAccount(context, account, hash);
        })(),
      );
    },
  }),
];
