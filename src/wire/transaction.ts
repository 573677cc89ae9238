// Transactions in JSON, as answers, state files of Anvil and other nodes have them.

import { bigIntToFixedBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
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
import type { Task } from '../scheduling/task.ts';
import { mapInPieces, type WorkPieces } from '../scheduling/work-pieces.ts';
import {
  certainMembers,
  type Member,
  type Members,
  type MemberTraits,
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

/** The rules that the transactions of a chain are under, as far as their JSON depends on them. */
export type TransactionRules = Pick<RuleSet, 'encoding'>;

/** A transaction that is to be written, and where it was mined: `null` for a pending one, which has no place. */
interface TransactionSource {
  readonly transaction: Transaction;
  readonly place: { readonly block: Block; readonly index: number } | null;
}

interface TransactionTraits extends MemberTraits {
  /** The types that have it, where not all have. */
  readonly types?: readonly TransactionType[];
  /** The types that have it in the state files of Anvil, where those are not the same. */
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

/** A member that says where the transaction was mined. */
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

/** A member that some types alone have. */
function typed<Value>(
  types: readonly TransactionType[],
  codec: ValueCodec<Value>,
  of: (transaction: Transaction) => Value,
  traits: TransactionTraits = {},
): TransactionMember {
  return own(codec, of, { types, isUnpromised: true, ...traits });
}

/** An entry of an access list (EIP-2930). Keys of other lengths are left out where another node answers them. */
const accessListEntry = objectOf<AccessListEntry>({
  address,
  storageKeys: {
    ...listOf(hash),
    tolerate: (value) => (Array.isArray(value) ? value.flatMap((key) => hash.tolerate(key) ?? []) : []),
  },
});

const accessList = listOf(accessListEntry);

/** Units of work for showing an account or a slot. */
const ENTRY_WORK = 64;

/** Returns an access list as JSON (EIP-2930), in pieces where it is long. */
export function* accessListInPieces(entries: readonly AccessListEntry[], pieces: WorkPieces): Task<unknown> {
  const views: unknown[] = [];
  for (const { address: account, storageKeys } of entries) {
    const keys = yield* mapInPieces(storageKeys, pieces, () => ENTRY_WORK, toHex);
    const view = accessListEntry.write({ address: account, storageKeys: [] });
    views.push(Object.assign(view as object, { storageKeys: keys }));
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
  }
  return views;
}

const AUTHORIZATION_CODECS = Object.fromEntries(
  listFields(AUTHORIZATION_FIELDS).map(({ name, kind }) => [name, FIELD_CODECS[kind]]),
) as unknown as { readonly [Name in keyof Authorization]: ValueCodec<Authorization[Name]> };

/** Authorizations (EIP-7702). Some nodes name the parity of a signature `v`. */
const authorizationList = listOf(
  objectOf<Authorization>(AUTHORIZATION_CODECS, { otherNames: { yParity: 'v' } }),
);

/** A value of a signature: the network shows it as 32 bytes (service document, Transaction object), Ethereum as QUANTITY. */
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

/** Wei per gas: of a mined transaction those that it paid, of a pending one the most that it offers. */
function gasPrice({ transaction, place }: TransactionSource): bigint {
  return effectiveGasPrice(transaction, place?.block.header.ethereum.baseFeePerGas ?? null);
}

/**
 * The members of a transaction in the order of answers (service document, Transaction object). A member that a header has
 * too, as something else, is not respelled where another node answers it.
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

/** The members of a transaction of any type, as Ethereum's nodes show them. */
const TRANSACTION_MEMBERS = membersUnder('ethereum');

/** Ethereum's nodes name the chain of legacy transactions that are signed for one (EIP-155). */
const LEGACY_CHAIN: Members<TransactionSource> = {
  chainId: own(nullable(integer), ({ chainId }) => chainId, { types: [0] }),
};

/** Returns a writer of the members that each type has in that form, with the chain of legacy transactions or without. */
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
 * Returns a transaction as JSON, in the form that nodes with these rules give it. `place` is where it was mined; `null` for
 * a pending one, whose block fields are `null` and whose gas price is the most it offers.
 */
export function transactionView(
  transaction: Transaction,
  place: TransactionSource['place'],
  { encoding }: TransactionRules,
): Json {
  return ANSWER_WRITERS[encoding][transaction.type]({ transaction, place });
}

/** Accounts of an access list that are shown at once. */
const ACCOUNTS_AT_ONCE = 1024;

/** Returns a transaction as {@link transactionView} does, in pieces where its access list is long. */
export function* transactionViewInPieces(
  transaction: Transaction,
  place: TransactionSource['place'],
  rules: TransactionRules,
  pieces: WorkPieces,
): Task<Json> {
  const { accessList: entries } = transaction;
  if (entries.length <= ACCOUNTS_AT_ONCE) return transactionView(transaction, place, rules);
  const view = transactionView({ ...transaction, accessList: [] }, place, rules);
  return Object.assign(view as object, { accessList: yield* accessListInPieces(entries, pieces) }) as Json;
}

const ANVIL_WRITERS = writersOf(TRANSACTION_MEMBERS, ({ types, anvilTypes }) => anvilTypes ?? types, true);

/** Returns a transaction as state files of Anvil have it: without its place and its sender. */
export function anvilTransactionJson(transaction: Transaction): Json {
  return ANVIL_WRITERS[transaction.type]({ transaction, place: null });
}

/** The schema of a transaction, or `null`: the members that all types have. */
export const TRANSACTION_JSON_SCHEMA: JsonSchema = orNull(
  objectSchema(promisedProperties(TRANSACTION_MEMBERS)),
);

/** The members of a transaction that are spelled as quantities. */
export const TRANSACTION_QUANTITIES = quantityNames(TRANSACTION_MEMBERS);

/** The members that are certain of transactions of other nodes. */
export const CERTAIN_TRANSACTION_MEMBERS = certainMembers(TRANSACTION_MEMBERS);

/**
 * The sources in which a member must be there: in all, in files but not in answers of other nodes, or in none, so that it is blank
 * where it is absent.
 */
export type Necessity = 'everywhere' | 'files' | 'nowhere';

/** Reads a member of one object in the strictness of its source; `otherName` is read where the first is absent. */
export type ReadMember = <T>(
  name: string,
  codec: ValueCodec<T>,
  necessity: Necessity,
  otherName?: string,
) => T;

/**
 * Returns the unsigned part of a transaction of that type with the members that `read` gives, which throws for those that
 * are not as they must be.
 */
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

/** The values of a signature as they are written, with either name of its `v`: each source has its own rule for it. */
export function readSignatureValues(
  read: ReadMember,
  [name, otherName]: readonly ['v', 'yParity'?] | readonly ['yParity', 'v'],
): Pick<Transaction, 'v' | 'r' | 's'> {
  const r = read('r', integer, 'files');
  const s = read('s', integer, 'files');
  return { v: read(name, integer, 'files', otherName), r, s };
}
