// A block's header in JSON: its fields are described once, for answers over JSON-RPC, for files and for what other nodes say.

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
import type { CertainMember, MemberTraits } from './members.ts';
import type { StrictValue } from './strict-value.ts';
import { bytes, FIELD_CODECS, hash, type Json, type JsonSchema, orNull, type ValueCodec } from './values.ts';

/** The names that the merged-mining fields have: those of the service document, or the network's own. */
export type FieldNames = 'service' | 'native';

/** A header whose members are to be written. */
export interface HeaderSource {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  /** True for a header that is not sealed: what only a seal fixes is `null`. */
  readonly isPending: boolean;
  /** The event that the second bridge left in the state after the block (RSKIP-535); absent or empty for none. */
  readonly baseEvent?: Uint8Array | undefined;
}

/**
 * The members of a header that stand together in answers: what identifies it, what all headers have, what only the
 * network's have, what its nodes have and the service document does not, what Ethereum's rule sets add.
 */
export type HeaderGroup = 'identity' | 'common' | 'network' | 'native' | 'ethereum';

interface Member extends MemberTraits {
  readonly group: HeaderGroup;
  /** Its names in answers, where they are not the name of the field. */
  readonly names?: Readonly<Record<FieldNames, string>>;
  /** Another name that files of older versions of Anvil have. */
  readonly older?: string;
  /** `null` in a header that is not sealed. */
  readonly isSeal?: true;
  /** A header of another node cannot be built on without it. */
  readonly isNeeded?: true;
}

/** A member that follows from the rest of the header; left out where that gives `undefined`. */
interface DerivedMember extends Member {
  readonly derive: (source: HeaderSource) => unknown;
  readonly jsonSchema: JsonSchema;
}

type DerivedName = 'hash' | 'nonce' | 'hashForMergedMining' | 'rskPteEdges' | 'baseEvent' | 'withdrawals';

// The network's proof of work lies in its merged-mining fields, so the nonce is always the same.
const NONCE = '0x0000000000000000';

function named(name: string): Pick<Member, 'names'> {
  return { names: { service: name, native: name } };
}

function mergedMining(name: string): Member {
  const names = { service: `parentchain${name}`, native: `bitcoin${name}` };
  return { group: 'network', names, isUnpromised: true };
}

/** The members in the order of answers, in each of the groups. The number of uncles follows from their list. */
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
  gasLimit: { group: 'common', answered: 'sometimes', isNeeded: true },
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
  // The ends of the parallel lists of transactions (RSKIP-144): no block of this node has any, and the first one no word.
  rskPteEdges: {
    group: 'native',
    derive: ({ header }) => (header.number === 0 ? null : []),
    jsonSchema: orNull({ type: 'array' }),
    isUnpromised: true,
  },
  // In the network's headers it is a part of their extension, which those of this node do not have: no hash covers it.
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

/** A field with all that is known of its forms. */
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

/** A member of answers with the header's value for it; `undefined` where the header does not have it. */
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

/** Returns the members of a header in those groups, one group after the other, as answers over JSON-RPC have them. */
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

/** The JSON Schemas of the members that callers can rely on. */
export const HEADER_PROPERTIES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  ANSWER_MEMBERS.filter(({ member }) => member.isUnpromised !== true).map(({ names, member, codec }) => [
    names.service,
    member.isSeal === true ? orNull(codec.jsonSchema) : codec.jsonSchema,
  ]),
);

/** The names of the members that are quantities, and spelled as such whatever another node makes of them. */
export const HEADER_QUANTITIES: readonly string[] = ANSWER_MEMBERS.filter(
  ({ codec, member }) => codec.isQuantity === true && member.isVerbatim !== true,
).map(({ names }) => names.service);

/** The members that are certain of headers that nodes of any make answer. */
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

/** Returns the header as a dump has it; `bloom` is that of the block's logs, which does not have to be written. */
export function headerJson(header: BlockHeader, bloom: Uint8Array): Json {
  return {
    ...dumpFields(equalBytes(header.logsBloom, bloom) ? WITHOUT_BLOOM : OWN, header),
    mergedMining: dumpFields(MERGED_MINING, header.mergedMining),
    ethereum: dumpFields(ETHEREUM, header.ethereum),
  };
}

/** Returns the fields of the list, and no others: a header that is made of them lacks those that the list does not name. */
function readFields<Name extends keyof FlatHeader>(
  fields: readonly Field<Name>[],
  read: (field: Field<Name>) => unknown,
): Pick<FlatHeader, Name> {
  const values: Partial<Record<Name, unknown>> = {};
  for (const field of fields) values[field.name] = read(field);
  return values as Pick<FlatHeader, Name>;
}

/** Returns the header that {@link headerJson} wrote with that bloom. Throws an `InvalidDumpError`. */
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

/** Returns the header as Anvil's state files have it: the fields of Ethereum's headers alone. */
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

/** Returns the header that stands in a state file of Anvil. Throws an `InvalidDumpError`. */
export function readAnvilHeader(value: StrictValue): BlockHeader {
  const read = ({ name, codec, member }: Field<string>): unknown =>
    codec.read(value.either(member?.names?.service ?? name, member?.older), 'anvil');
  return { ...HEADER_DEFAULTS, ...readFields(SHARED, read), ethereum: readFields(ETHEREUM, read) };
}

/**
 * Returns the header that another node answers, as `read` gives the values of its members. Fields that the node does not
 * have are blank; `read` throws for those that are needed.
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
