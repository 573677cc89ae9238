// Transactions in JSON, for responses, for Anvil state files and for responses of other nodes.

import { bigIntToFixedBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import type { Block } from '../protocol/block.ts';
import { effectiveGasPrice } from '../protocol/fees.ts';
import { type Encoding, listFields } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import {
  type AccessListEntry,
  AUTHORIZATION_FIELDS,
  type Authorization,
  TRANSACTION_TYPES,
  type Transaction,
  type TransactionRequest,
  type TransactionType,
  TYPES_WITH_TWO_FEES,
} from '../protocol/transaction.ts';
import {
  certainMembers,
  type Member,
  type MemberFeatures,
  type Members,
  member,
  objectWriter,
  promisedProperties,
  quantityNames,
} from './members.ts';
import {
  address,
  bytes,
  count,
  FIELD_CODECS,
  gas,
  hash,
  integer,
  type Json,
  type JsonSchema,
  listOf,
  nullable,
  nullOr,
  objectOf,
  objectSchema,
  orNull,
  type ValueCodec,
} from './values.ts';

/** The rules that affect the JSON of a transaction. */
export type TransactionRules = Pick<RuleSet, 'encoding'>;

/** A transaction to be written. `place` is its location; `null` if pending. */
interface TransactionSource {
  readonly transaction: Transaction;
  readonly place: { readonly block: Block; readonly index: number } | null;
}

interface TransactionTraits extends MemberFeatures {
  /** The types that have it; absent for all types. */
  readonly types?: readonly TransactionType[];
  /** The types that have it in Anvil's state files, if different. */
  readonly anvilTypes?: readonly TransactionType[];
}

type TransactionMember = Member<TransactionSource> & TransactionTraits;

function own<Value>(
  codec: ValueCodec<Value>,
  of: (transaction: Transaction) => Value,
  traits: TransactionTraits = {},
): TransactionMember {
  const { write } = codec;
  return { codec, write: ({ transaction }) => write(of(transaction)), ...traits };
}

/** Returns a member with the location of the transaction. */
function placed<Value>(
  codec: ValueCodec<Value>,
  of: (place: NonNullable<TransactionSource['place']>) => Value,
  traits: TransactionTraits = {},
): TransactionMember {
  const { write } = codec;
  return {
    codec: nullOr(codec),
    write: ({ place }) => (place === null ? null : write(of(place))),
    anvilTypes: [],
    ...traits,
  };
}

/** Returns a member that only some types have. */
function typed<Value>(
  types: readonly TransactionType[],
  codec: ValueCodec<Value>,
  of: (transaction: Transaction) => Value,
  traits: TransactionTraits = {},
): TransactionMember {
  return own(codec, of, { types, isUnpromised: true, ...traits });
}

/** An entry of an access list (EIP-2930). Keys of other lengths in results of other nodes are omitted. */
const accessListEntry = objectOf<AccessListEntry>({
  address,
  storageKeys: {
    ...listOf(hash),
    tolerate: (value) => (Array.isArray(value) ? value.flatMap((key) => hash.tolerate(key) ?? []) : []),
  },
});

const accessList = listOf(accessListEntry);

/** Work units per account or slot. */
const ENTRY_WORK = 64;

/** Returns an access list as JSON (EIP-2930). Yields if it is long. */
export function* accessListView(entries: readonly AccessListEntry[]): Steps<unknown> {
  const views: unknown[] = [];
  for (const { address: account, storageKeys } of entries) {
    const keys = yield* mapInSteps(storageKeys, () => ENTRY_WORK, toHex);
    const view = accessListEntry.write({ address: account, storageKeys: [] });
    views.push(Object.assign(view as object, { storageKeys: keys }));
    yield ENTRY_WORK;
  }
  return views;
}

const AUTHORIZATION_CODECS = Object.fromEntries(
  listFields(AUTHORIZATION_FIELDS).map(({ name, kind }) => [name, FIELD_CODECS[kind]]),
) as unknown as { readonly [Name in keyof Authorization]: ValueCodec<Authorization[Name]> };

/** Authorizations (EIP-7702). Some nodes name the parity of the signature `v`. */
const authorizationList = listOf(
  objectOf<Authorization>(AUTHORIZATION_CODECS, { otherNames: { yParity: 'v' } }),
);

/**
 * A signature value: 32 bytes on Rootstock (service document, Transaction object), a QUANTITY on Ethereum.
 */
const signatureValue = {
  ethereum: integer,
  network: { ...integer, write: (value: bigint) => toHex(bigIntToFixedBytes(value, 32)) },
} as const satisfies Readonly<Record<Encoding, ValueCodec<bigint>>>;

const SIGNATURE_VALUE_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: '^0x(0|[1-9a-f][0-9a-f]*|[0-9a-f]{64})$',
};

function signatureMember(encoding: Encoding, name: 'r' | 's'): TransactionMember {
  const described = own(signatureValue[encoding], (transaction) => transaction[name], { isVerbatim: true });
  return { ...described, codec: { ...described.codec, jsonSchema: SIGNATURE_VALUE_SCHEMA } };
}

const TYPED: readonly TransactionType[] = TRANSACTION_TYPES.filter((type) => type > 0);
const WITH_ONE_PRICE: readonly TransactionType[] = [0, 1];
const WITH_BLOBS: readonly TransactionType[] = [3];
const hashes = listOf(hash);

/**
 * Returns the effective gas price of a mined transaction, and the maximum of a pending one, in wei per gas.
 */
function gasPrice({ transaction, place }: TransactionSource): bigint {
  return effectiveGasPrice(transaction, place?.block.header.ethereum.baseFeePerGas ?? null);
}

/**
 * The members of a transaction in the order of responses (service document, Transaction object). A member
 * whose name has another meaning in headers is not normalized in results of other nodes.
 */
function membersUnder(encoding: Encoding): Readonly<Record<string, TransactionMember>> {
  return {
    hash: own(hash, (transaction) => transaction.hash, { answered: 'always' }),
    nonce: own(gas, ({ nonce }) => nonce, { isVerbatim: true }),
    blockHash: placed(hash, ({ block }) => block.hash),
    blockNumber: placed(count, ({ block }) => block.header.number, { answered: 'sometimes' }),
    blockTimestamp: placed(count, ({ block }) => block.header.timestamp),
    transactionIndex: placed(count, ({ index }) => index),
    from: own(address, ({ sender }) => sender, { anvilTypes: [] }),
    to: own(nullOr(address), ({ to }) => to),
    gas: own(gas, ({ gasLimit }) => gasLimit),
    gasPrice: { ...member(integer, gasPrice), anvilTypes: WITH_ONE_PRICE },
    value: own(integer, ({ value }) => value),
    input: own(bytes, ({ data }) => data),
    v: own(integer, ({ v }) => v, { isVerbatim: true }),
    r: signatureMember(encoding, 'r'),
    s: signatureMember(encoding, 's'),
    type: own(count, ({ type }) => type),
    chainId: typed(TYPED, integer, ({ chainId }) => chainId ?? 0n),
    accessList: typed(TYPED, accessList, (transaction) => transaction.accessList),
    yParity: typed(TYPED, integer, ({ v }) => v, { isVerbatim: true }),
    maxFeePerGas: typed(TYPES_WITH_TWO_FEES, integer, ({ maxFeePerGas }) => maxFeePerGas),
    maxPriorityFeePerGas: typed(
      TYPES_WITH_TWO_FEES,
      integer,
      ({ maxPriorityFeePerGas }) => maxPriorityFeePerGas,
    ),
    maxFeePerBlobGas: typed(WITH_BLOBS, integer, ({ maxFeePerBlobGas }) => maxFeePerBlobGas),
    blobVersionedHashes: typed(WITH_BLOBS, hashes, ({ blobVersionedHashes }) => blobVersionedHashes),
    authorizationList: typed([4], authorizationList, (transaction) => transaction.authorizationList),
  };
}

/** The members of a transaction of any type on Ethereum nodes. */
const TRANSACTION_MEMBERS = membersUnder('ethereum');

/** Ethereum nodes return the chain id of a legacy transaction if it is signed for one (EIP-155). */
const LEGACY_CHAIN: Members<TransactionSource> = {
  chainId: own(nullable(integer), ({ chainId }) => chainId, { types: [0] }),
};

/** Returns a writer per type with the type's members, optionally with the chain id of legacy transactions. */
function writersOf(
  members: Readonly<Record<string, TransactionMember>>,
  typesOf: (traits: TransactionTraits) => readonly TransactionType[] | undefined,
  hasLegacyChain: boolean,
): Readonly<Record<TransactionType, (source: TransactionSource) => Json>> {
  const writers = TRANSACTION_TYPES.map((type) => {
    const chosen = Object.entries(members).filter(([, traits]) => typesOf(traits)?.includes(type) ?? true);
    return [type, objectWriter(Object.fromEntries(chosen), type === 0 && hasLegacyChain ? LEGACY_CHAIN : {})];
  });
  return Object.fromEntries(writers) as Record<TransactionType, (source: TransactionSource) => Json>;
}

const ANSWER_WRITERS = {
  network: writersOf(membersUnder('network'), ({ types }) => types, false),
  ethereum: writersOf(TRANSACTION_MEMBERS, ({ types }) => types, true),
} as const;

/**
 * Returns a transaction as JSON in the form of nodes with these rules. `place` is its location. It is `null`
 * if pending: block fields are then `null`, and the gas price is the maximum.
 */
export function transactionView(
  transaction: Transaction,
  place: TransactionSource['place'],
  { encoding }: TransactionRules,
): Json {
  return ANSWER_WRITERS[encoding][transaction.type]({ transaction, place });
}

/** Maximum accounts of an access list in one time slice. */
const ACCOUNTS_AT_ONCE = 1024;

/** As {@link transactionView}, but yields if the access list is long. */
export function* transactionViewInSteps(
  transaction: Transaction,
  place: TransactionSource['place'],
  rules: TransactionRules,
): Steps<Json> {
  const { accessList: entries } = transaction;
  if (entries.length <= ACCOUNTS_AT_ONCE) return transactionView(transaction, place, rules);
  const view = transactionView({ ...transaction, accessList: [] }, place, rules);
  return Object.assign(view as object, { accessList: yield* accessListView(entries) }) as Json;
}

const ANVIL_WRITERS = writersOf(TRANSACTION_MEMBERS, ({ types, anvilTypes }) => anvilTypes ?? types, true);

/** Returns a transaction for Anvil's state files, without location and sender. */
export function anvilTransactionJson(transaction: Transaction): Json {
  return ANVIL_WRITERS[transaction.type]({ transaction, place: null });
}

/** The schema of a transaction, or `null`, with the members of all types. */
export const TRANSACTION_JSON_SCHEMA: JsonSchema = orNull(
  objectSchema(promisedProperties(TRANSACTION_MEMBERS)),
);

/** The quantities of a transaction. */
export const TRANSACTION_QUANTITIES = quantityNames(TRANSACTION_MEMBERS);

/** The members that transactions of every kind of node contain. */
export const CERTAIN_TRANSACTION_MEMBERS = certainMembers(TRANSACTION_MEMBERS);

/** The sources that require a member: all, only files, or none. An absent optional member is blank. */
export type Necessity = 'everywhere' | 'files' | 'nowhere';

/** Reads a member as strictly as its source requires; `otherName` is used if `name` is absent. */
export type ReadMember = <T>(
  name: string,
  codec: ValueCodec<T>,
  necessity: Necessity,
  otherName?: string,
) => T;

/** Returns the unsigned part of a transaction. `read` returns its members, and throws for invalid ones. */
export function readTransactionRequest(read: ReadMember, type: TransactionType): TransactionRequest {
  const hasTwoFees = TYPES_WITH_TWO_FEES.includes(type);
  const necessityOfBlobs = WITH_BLOBS.includes(type) ? 'everywhere' : 'nowhere';
  const chainId = read('chainId', nullOr(integer), 'nowhere');
  const nonce = read('nonce', gas, 'everywhere');
  const maxFeePerGas = hasTwoFees
    ? read('maxFeePerGas', integer, 'everywhere')
    : read('gasPrice', integer, 'files');
  return {
    type,
    chainId,
    nonce,
    maxFeePerGas,
    maxPriorityFeePerGas: hasTwoFees ? read('maxPriorityFeePerGas', integer, 'everywhere') : maxFeePerGas,
    gasLimit: read('gas', gas, 'everywhere', 'gasLimit'),
    to: read('to', nullOr(address), 'nowhere'),
    value: read('value', integer, 'files'),
    data: read('input', bytes, 'files'),
    accessList: read('accessList', accessList, 'nowhere'),
    authorizationList: read('authorizationList', authorizationList, 'nowhere'),
    maxFeePerBlobGas: read('maxFeePerBlobGas', integer, necessityOfBlobs),
    blobVersionedHashes: read('blobVersionedHashes', hashes, necessityOfBlobs),
  };
}

/**
 * Returns the signature values in the source's notation. Each source has its own rule for the name of `v`.
 */
export function readSignatureValues(
  read: ReadMember,
  [name, otherName]: readonly ['v', 'yParity'?] | readonly ['yParity', 'v'],
): Pick<Transaction, 'v' | 'r' | 's'> {
  const r = read('r', integer, 'files');
  const s = read('s', integer, 'files');
  return { v: read(name, integer, 'files', otherName), r, s };
}
