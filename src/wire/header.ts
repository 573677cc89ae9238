// A block header in JSON. Each field is described once, for responses, for files and for responses of other
// nodes.

import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import {
  type BlockHeader,
  ETHEREUM_FIELDS,
  type FlatHeader,
  HEADER_DEFAULTS,
  HEADER_FIELDS,
  hasWithdrawals,
  MERGED_MINING_FIELDS,
  SHARED_FIELDS,
} from '../protocol/block.ts';
import { type FieldKind, listFields } from '../protocol/field-kinds.ts';
import { hashForMergedMining } from '../protocol/header-encoding.ts';
import type { CertainMember, MemberFeatures } from './members.ts';
import type { StrictValue } from './strict-value.ts';
import { bytes, FIELD_CODECS, hash, type Json, type JsonSchema, orNull, type ValueCodec } from './values.ts';

/** The names of the merged-mining fields: from the service document, or Rootstock's own. */
export type FieldNames = 'service' | 'native';

/** A header to be written. */
export interface HeaderSource {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  /** True for an unsealed header: the fields that sealing determines are `null`. */
  readonly isPending: boolean;
  /** The event of the second Bridge in the state after the block (RSKIP-535); absent or empty for none. */
  readonly baseEvent?: Uint8Array | undefined;
}

/**
 * Groups of members in responses. `network` has the members of Rootstock, and `native` the members that rskj
 * adds to the service document. `ethereum` has the members of Ethereum hardforks.
 */
export type HeaderGroup = 'identity' | 'common' | 'network' | 'native' | 'ethereum';

interface Member extends MemberFeatures {
  readonly group: HeaderGroup;
  /** Its names in responses; absent if equal to the name of the field. */
  readonly names?: Readonly<Record<FieldNames, string>>;
  /** Another name, in files of older Anvil versions. */
  readonly older?: string;
  /** `null` in an unsealed header. */
  readonly isSeal?: true;
  /** Required of headers of other nodes, because the next block depends on it. */
  readonly isNeeded?: true;
}

/** A member that derives from the rest of the header; omitted if `undefined`. */
interface DerivedMember extends Member {
  readonly derive: (source: HeaderSource) => unknown;
  readonly jsonSchema: JsonSchema;
}

type DerivedName = 'hash' | 'nonce' | 'hashForMergedMining' | 'rskPteEdges' | 'baseEvent' | 'withdrawals';

// Rootstock's proof of work is in the merged-mining fields, so the nonce is constant.
const NONCE = '0x0000000000000000';

function named(name: string): Pick<Member, 'names'> {
  return { names: { service: name, native: name } };
}

function mergedMining(name: string): Member {
  const names = { service: `parentchain${name}`, native: `bitcoin${name}` };
  return { group: 'network', names, isUnpromised: true };
}

/** The members of each group in the order of responses. The number of uncles derives from their list. */
const MEMBERS = {
  number: { group: 'identity', answered: 'always', isNeeded: true },
  hash: {
    group: 'identity',
    isSeal: true,
    answered: 'always',
    derive: ({ hash }) => toHex(hash),
    jsonSchema: hash.jsonSchema,
  },
  parentHash: { group: 'common', answered: 'always' },
  nonce: { group: 'identity', isSeal: true, derive: () => NONCE, jsonSchema: bytes.jsonSchema },
  unclesHash: { group: 'common', ...named('sha3Uncles'), older: 'ommersHash' },
  logsBloom: { group: 'identity', isSeal: true },
  transactionsRoot: { group: 'common', answered: 'sometimes' },
  stateRoot: { group: 'common', answered: 'sometimes' },
  receiptsRoot: { group: 'common', answered: 'sometimes' },
  coinbase: { group: 'common', ...named('miner'), older: 'beneficiary' },
  difficulty: { group: 'common' },
  extraData: { group: 'common' },
  gasLimit: { group: 'common', answered: 'sometimes' },
  gasUsed: { group: 'common' },
  timestamp: { group: 'common', answered: 'always', isNeeded: true },
  mixHash: { group: 'common', isUnpromised: true },
  minimumGasPrice: { group: 'network' },
  header: mergedMining('MergedMiningHeader'),
  coinbaseTransaction: mergedMining('MergedMiningCoinbaseTransaction'),
  merkleProof: mergedMining('MergedMiningMerkleProof'),
  hashForMergedMining: {
    group: 'network',
    derive: ({ header }) => toHex(hashForMergedMining(header)),
    jsonSchema: hash.jsonSchema,
  },
  paidFees: { group: 'network' },
  // The ends of the parallel transaction lists (RSKIP-144): this node's blocks have none, and the genesis has
  // `null`.
  rskPteEdges: {
    group: 'native',
    derive: ({ header }) => (header.number === 0 ? null : []),
    jsonSchema: orNull({ type: 'array' }),
    isUnpromised: true,
  },
  // In Rootstock's headers it is part of the extension. This node's headers have no extension, so no hash
  // covers it.
  baseEvent: {
    group: 'native',
    derive: ({ baseEvent }) => (baseEvent === undefined || baseEvent.length === 0 ? null : toHex(baseEvent)),
    jsonSchema: orNull(bytes.jsonSchema),
    isUnpromised: true,
  },
  baseFeePerGas: { group: 'ethereum', isUnpromised: true },
  withdrawalsRoot: { group: 'ethereum', isUnpromised: true },
  withdrawals: {
    group: 'ethereum',
    derive: ({ header }) => (hasWithdrawals(header) ? [] : undefined),
    jsonSchema: { type: 'array' },
    isUnpromised: true,
  },
  blobGasUsed: { group: 'ethereum', isVerbatim: true, isUnpromised: true },
  excessBlobGas: { group: 'ethereum', isVerbatim: true, isUnpromised: true },
  parentBeaconBlockRoot: { group: 'ethereum', isUnpromised: true },
  requestsHash: { group: 'ethereum', ...named('requestsHash'), older: 'requestsRoot', isUnpromised: true },
  blockAccessListHash: { group: 'ethereum', isUnpromised: true },
  slotNumber: { group: 'ethereum', isVerbatim: true, isUnpromised: true },
} as const satisfies Record<Exclude<keyof FlatHeader, 'uncleCount'>, Member> &
  Record<DerivedName, DerivedMember>;

/** A field with its codec and its member. */
interface Field<Name extends string> {
  readonly name: Name;
  readonly codec: ValueCodec<unknown>;
  readonly member: Member | undefined;
}

function memberOf(name: string): Member | undefined {
  return Object.hasOwn(MEMBERS, name) ? MEMBERS[name as keyof typeof MEMBERS] : undefined;
}

function fieldsOf<Name extends string>(kinds: Readonly<Record<Name, FieldKind>>): readonly Field<Name>[] {
  const codecs: Readonly<Record<FieldKind, ValueCodec<unknown>>> = FIELD_CODECS;
  return listFields(kinds).map(({ name, kind }) => ({ name, codec: codecs[kind], member: memberOf(name) }));
}

const OWN = fieldsOf(HEADER_FIELDS);
const MERGED_MINING = fieldsOf(MERGED_MINING_FIELDS);
const ETHEREUM = fieldsOf(ETHEREUM_FIELDS);

/**
 * A member of responses, and the function that writes its value; `undefined` if the header does not have it.
 */
interface AnswerMember {
  readonly names: Readonly<Record<FieldNames, string>>;
  readonly member: Member;
  readonly codec: Pick<ValueCodec<unknown>, 'jsonSchema' | 'isQuantity'> &
    Partial<Pick<ValueCodec<unknown>, 'tolerate'>>;
  readonly write: (source: HeaderSource) => unknown;
}

function written<Name extends string>(
  fields: readonly Field<Name>[],
  ownerOf: (header: BlockHeader) => Readonly<Record<Name, unknown>>,
): [string, Pick<AnswerMember, 'codec' | 'write'>][] {
  return fields.map(({ name, codec }) => {
    const write = ({ header }: HeaderSource): unknown => codec.write(ownerOf(header)[name]);
    return [name, { codec, write }];
  });
}

function answerMembers(): AnswerMember[] {
  const fields = new Map([
    ...written(OWN, (header) => header),
    ...written(MERGED_MINING, (header) => header.mergedMining),
    ...written(ETHEREUM, ({ ethereum }) => ethereum),
  ]);
  return Object.entries<Member | DerivedMember>(MEMBERS).map(([name, member]) => {
    const names = member.names ?? { service: name, native: name };
    if ('derive' in member) return { names, member, codec: member, write: member.derive };
    const field = fields.get(name);
    if (field === undefined) throw new Error(`a header has no field ${name}`);
    return { names, member, ...field };
  });
}

const ANSWER_MEMBERS = answerMembers();

function membersOf(group: HeaderGroup): readonly AnswerMember[] {
  return ANSWER_MEMBERS.filter(({ member }) => member.group === group);
}

const GROUPS: Readonly<Record<HeaderGroup, readonly AnswerMember[]>> = {
  identity: membersOf('identity'),
  common: membersOf('common'),
  network: membersOf('network'),
  native: membersOf('native'),
  ethereum: membersOf('ethereum'),
};

/** Returns the members of a header in the given groups, in the order of the groups, as in responses. */
export function headerMembers(
  source: HeaderSource,
  groups: readonly HeaderGroup[],
  fieldNames: FieldNames,
): Json {
  const json: Record<string, unknown> = {};
  for (const group of groups) {
    for (const { names, member, write } of GROUPS[group]) {
      const value = source.isPending && member.isSeal === true ? null : write(source);
      if (value !== undefined) json[names[fieldNames]] = value;
    }
  }
  return json;
}

/** The JSON Schemas of the guaranteed members. */
export const HEADER_PROPERTIES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  ANSWER_MEMBERS.filter(({ member }) => member.isUnpromised !== true).map(({ names, member, codec }) => [
    names.service,
    member.isSeal === true ? orNull(codec.jsonSchema) : codec.jsonSchema,
  ]),
);

/** The quantities. They are normalized in results of other nodes. */
export const HEADER_QUANTITIES: readonly string[] = ANSWER_MEMBERS.filter(
  ({ codec, member }) => codec.isQuantity === true && member.isVerbatim !== true,
).map(({ names }) => names.service);

/** The members that headers of every kind of node contain. */
export const ANSWERED_MEMBERS: readonly CertainMember[] = ANSWER_MEMBERS.flatMap(
  ({ names, member, codec }) =>
    member.answered === undefined
      ? []
      : [
          {
            name: names.service,
            tolerate: codec.tolerate ?? hash.tolerate,
            isQuantity: codec.isQuantity === true,
            isOptional: member.answered === 'sometimes',
          },
        ],
);

function dumpFields<Name extends string>(
  fields: readonly Field<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const { name, codec } of fields) json[name] = (codec.writeDump ?? codec.write)(owner[name]);
  return json;
}

const WITHOUT_BLOOM = OWN.filter(({ name }) => name !== 'logsBloom');

/** Returns a header for a dump. `bloom` is the bloom of the block's logs; an equal one is omitted. */
export function headerJson(header: BlockHeader, bloom: Uint8Array): Json {
  return {
    ...dumpFields(equalBytes(header.logsBloom, bloom) ? WITHOUT_BLOOM : OWN, header),
    mergedMining: dumpFields(MERGED_MINING, header.mergedMining),
    ethereum: dumpFields(ETHEREUM, header.ethereum),
  };
}

/** Returns only the listed fields: a header built from them lacks all others. */
function readFields<Name extends keyof FlatHeader>(
  fields: readonly Field<Name>[],
  read: (field: Field<Name>) => unknown,
): Pick<FlatHeader, Name> {
  const values: Partial<Record<Name, unknown>> = {};
  for (const field of fields) values[field.name] = read(field);
  return values as Pick<FlatHeader, Name>;
}

/** Returns the header of {@link headerJson} with the same bloom. Throws `InvalidDumpError`. */
export function readHeader(value: StrictValue, bloom: Uint8Array): BlockHeader {
  const readFrom =
    (owner: StrictValue) =>
    ({ name, codec }: Field<string>): unknown =>
      codec.read(owner.field(name), 'dump');
  const read = readFrom(value);
  const header = readFields(OWN, (field) =>
    field.name === 'logsBloom' && value.field('logsBloom').isNothing ? bloom : read(field),
  );
  return {
    ...header,
    mergedMining: readFields(MERGED_MINING, readFrom(value.field('mergedMining'))),
    ethereum: readFields(ETHEREUM, readFrom(value.field('ethereum'))),
  };
}

const SHARED = fieldsOf(SHARED_FIELDS);

/** Returns a header for Anvil's state files: only the fields of Ethereum headers. */
export function anvilHeaderJson(header: BlockHeader): Json {
  const json: Record<string, unknown> = {};
  const write = ({ name, codec, member }: Field<string>, value: unknown): void => {
    const written = codec.write(value);
    if (written !== undefined) json[member?.names?.service ?? name] = written;
  };
  for (const field of SHARED) write(field, header[field.name]);
  json.mixHash = toHex(header.ethereum.mixHash);
  json.nonce = NONCE;
  for (const field of ETHEREUM) write(field, header.ethereum[field.name]);
  return json;
}

/** Returns the header in a state file of Anvil. Throws `InvalidDumpError`. */
export function readAnvilHeader(value: StrictValue): BlockHeader {
  const read = ({ name, codec, member }: Field<string>): unknown =>
    codec.read(value.either(member?.names?.service ?? name, member?.older), 'anvil');
  return { ...HEADER_DEFAULTS, ...readFields(SHARED, read), ethereum: readFields(ETHEREUM, read) };
}

/**
 * Returns the header in a response of another node. `read` returns the values of its members, and throws for
 * absent required ones. Other absent fields are blank.
 */
export function readForeignHeader(
  read: <T>(name: string, codec: ValueCodec<T>, isNeeded: boolean) => T,
): Omit<BlockHeader, 'uncleCount'> {
  const readField = ({ name, codec, member }: Field<string>): unknown =>
    read(member?.names?.native ?? name, codec, member?.isNeeded === true);
  return {
    ...readFields(
      OWN.filter(({ name }) => name !== 'uncleCount'),
      readField,
    ),
    mergedMining: readFields(MERGED_MINING, readField),
    ethereum: readFields(ETHEREUM, readField),
  };
}
