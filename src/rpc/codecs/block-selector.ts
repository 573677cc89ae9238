import type { BlockSelector, BlockTag } from '../../chain/block-selector.ts';
import {
  type Codec,
  chosenBy,
  type HistoricCodec,
  historic,
  leaf,
  objectOf,
  type Reading,
  refined,
} from './codec.ts';
import { hash32, QUANTITY_JSON_SCHEMA, readFixedData, readQuantity } from './hex-values.ts';

const TAGS: ReadonlySet<string> = new Set<BlockTag>(['latest', 'earliest', 'pending', 'safe', 'finalized']);
const NUMBER_LIMIT = 2n ** 64n;
const TAG_WORDS = 'latest, earliest, pending, safe or finalized';

function isTag(value: unknown): value is BlockTag {
  return typeof value === 'string' && TAGS.has(value);
}

function readNumberOrTag(value: unknown): BlockSelector | undefined {
  if (isTag(value)) return { tag: value };
  const number = readQuantity(value);
  // A hash is also a valid number, but the response "no such block" would mislead the client.
  return number === undefined || number >= NUMBER_LIMIT ? undefined : { number };
}

function readSelector(value: unknown): BlockSelector | undefined {
  // 32 bytes are a hash, not a padded number: no chain has this length.
  const hash = readFixedData(value, 32);
  return hash === undefined ? readNumberOrTag(value) : { hash };
}

const numberOrTagSchema = {
  oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [...TAGS] }],
};

/** A block by number or tag, for methods that the service document limits to them. */
export const blockNumberSelector: HistoricCodec<BlockSelector> = historic(
  leaf(`a block number below 2^64, or ${TAG_WORDS}`, numberOrTagSchema, readNumberOrTag),
);

const scalarSelector: Codec<BlockSelector> = leaf(
  `a block number below 2^64, ${TAG_WORDS}, a 32-byte block hash, or an object with blockHash or blockNumber`,
  { oneOf: [...numberOrTagSchema.oneOf, hash32.jsonSchema] },
  readSelector,
);

export const blockNumber: Codec<bigint> = leaf('a block number below 2^64', QUANTITY_JSON_SCHEMA, (value) => {
  const number = readQuantity(value);
  return number === undefined || number >= NUMBER_LIMIT ? undefined : number;
});

const requireCanonical = leaf('true or false', { type: 'boolean' }, (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
});

const objectSelector: Codec<BlockSelector> = refined(
  objectOf({ blockHash: hash32, blockNumber, requireCanonical }, 'an object with blockHash or blockNumber'),
  ({ blockHash, blockNumber: number, requireCanonical: canonical }): Reading<BlockSelector> => {
    if (blockHash !== null && number === null) {
      return { value: { hash: blockHash, requireCanonical: canonical ?? false } };
    }
    if (number !== null && blockHash === null) return { value: { number } };
    return { path: [], expected: 'an object with exactly one of blockHash and blockNumber' };
  },
);

/** A block by number, tag, hash or object (EIP-1898). `requireCanonical` may be the text of a boolean. */
export const blockSelector: HistoricCodec<BlockSelector> = historic(
  chosenBy(
    (value) => (typeof value === 'object' && value !== null ? objectSelector : scalarSelector),
    [scalarSelector, objectSelector],
  ),
);
