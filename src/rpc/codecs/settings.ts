import type { SnapshotId } from '../../chain/errors.ts';
import type { BlockTime, BlockTimeRange } from '../../chain/settings/miner.ts';
import { isUpstreamUrl } from '../../fork/fork-options.ts';
import { stripLeadingZeros } from '../../primitives/bytes.ts';
import { HIGHEST_NONCE } from '../../protocol/transaction.ts';
import { arrayOf, type Codec, chosenBy, leaf, refined } from './codec.ts';
import { countUpTo, data, QUANTITY_JSON_SCHEMA, readQuantity, storageWord } from './hex-values.ts';

const GAS_LIMIT_END = 2n ** 63n;
const MAX_EXTRA_DATA_LENGTH = 32;

/** The gas limit of a block. 0 is invalid, because the block could not contain a transaction. */
export const blockGasLimit = leaf(
  'an amount of gas from 1 to 2^63 - 1',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const gas = readQuantity(value);
    return gas === undefined || gas === 0n || gas >= GAS_LIMIT_END ? undefined : gas;
  },
  (value) => readQuantity(value) !== undefined,
);

/** A nonce below the maximum (EIP-2681). */
export const accountNonce = leaf('a nonce below 2^64 - 1', QUANTITY_JSON_SCHEMA, (value) => {
  const nonce = readQuantity(value);
  return nonce === undefined || nonce >= HIGHEST_NONCE ? undefined : nonce;
});

/** The nonce of an account in a simulation, up to the maximum. */
export const overriddenNonce = leaf('a nonce below 2^64', QUANTITY_JSON_SCHEMA, (value) => {
  const nonce = readQuantity(value);
  return nonce === undefined || nonce > HIGHEST_NONCE ? undefined : nonce;
});

/** The chain id in transaction signatures (EIP-155). */
export const chainId = leaf('a chain id from 1 to 2^53 - 1', QUANTITY_JSON_SCHEMA, (value) => {
  const id = readQuantity(value);
  return id === undefined || id === 0n || id > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(id);
});

/** The extra data of a block. */
export const extraData = refined(data, (bytes) =>
  bytes.length <= MAX_EXTRA_DATA_LENGTH
    ? { value: bytes }
    : { path: [], expected: `hexadecimal data of at most ${MAX_EXTRA_DATA_LENGTH} bytes` },
);

/** A storage value, without leading zeros. Short values are padded on the left. */
export const storageValue = refined(storageWord, (value) => ({ value: stripLeadingZeros(value) }));

const MAX_FOLLOW_SECONDS = 86_400;

/** The seconds between two checks for new blocks of a forked chain. */
export const followSeconds = leaf(
  'a number of seconds above 0, at most 86400',
  { type: 'number', exclusiveMinimum: 0, maximum: MAX_FOLLOW_SECONDS },
  (value) => (typeof value === 'number' && value > 0 && value <= MAX_FOLLOW_SECONDS ? value : undefined),
);

/** A number of new blocks that the response does not contain. */
export const blockCount = countUpTo(1_000_000_000_000, 'blocks', 0);

/** The number of blocks to go back. */
export const depth = leaf('a number of blocks below 2^53', QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(count);
});

/** Maximum length of a URL. A longer one takes long to read, and no provider needs it. */
const LONGEST = 8_192;

/** The URL of a node to fork, unchanged. It may contain secrets, so errors contain only its type. */
export const upstreamUrl: Codec<string> = leaf(
  `an HTTP or WebSocket URL of at most ${LONGEST} characters`,
  { type: 'string', format: 'uri' },
  (value) =>
    typeof value === 'string' && value.length <= LONGEST && isUpstreamUrl(value) ? value : undefined,
);

const NAME = /^[A-Za-z][ -~]{0,99}$/;
const NAME_WORDS = 'a name of at most 100 printable characters that starts with a letter';

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** The name of a checkpoint. It starts with a letter, so it differs from a number. */
export const checkpointName = leaf(NAME_WORDS, { type: 'string', pattern: NAME.source }, (value) =>
  isName(value) ? value : undefined,
);

const snapshotNumber = leaf(
  'the id of a snapshot (hexadecimal with 0x, a decimal string or a number) or the name of a checkpoint',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const number = readQuantity(value);
    return number === undefined ? undefined : Number(number);
  },
);

/** A snapshot by number, or a checkpoint by name. */
export const snapshotId = chosenBy<SnapshotId>(
  (value) => (isName(value) ? checkpointName : snapshotNumber),
  [snapshotNumber, checkpointName],
);

const latest = leaf<'latest'>('latest', { const: 'latest' }, (value) =>
  value === 'latest' ? value : undefined,
);

/** The number of the block to fork, in any notation. */
export const forkBlockNumber = leaf(
  'a block number',
  { oneOf: [{ type: 'integer' }, { type: 'string' }] },
  (value) => {
    const isNumber =
      typeof value === 'number' || (typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value));
    const number = isNumber ? Number(value) : Number.NaN;
    return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  },
);

/** The number of the block to fork in any notation, or `latest`. */
export const newBlockNumber = chosenBy<number | 'latest'>(
  (value) => (value === 'latest' ? latest : forkBlockNumber),
  [forkBlockNumber, latest],
);

/** 10^12 seconds are in the year 33658; 10^12 milliseconds are in 2001. A larger value is in milliseconds. */
const MAX_SECONDS = 10n ** 12n;
const TIME_END = 10n ** 15n;

/** A timestamp in seconds since 1970, or in milliseconds if above 10^12. Decodes to seconds. */
export const pointInTime = leaf(
  'a time since 1970 below 10^15 (in seconds, or in milliseconds if above 10^12)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    if (read === undefined || read >= TIME_END) return undefined;
    return Number(read > MAX_SECONDS ? read / 1000n : read);
  },
);

/** A whole number of seconds, given in milliseconds. Decodes to seconds. */
export const wholeSecondsInMilliseconds = leaf(
  'a number of milliseconds below 10^15 that is a multiple of 1000',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined || read % 1000n !== 0n || read >= TIME_END ? undefined : Number(read / 1000n);
  },
);

/** The time between blocks: an amount in a unit of the method, or bounds. */
export type IntervalAmount = number | BlockTimeRange;

const INTERVAL_END = 2n ** 48n;

const amount = leaf<IntervalAmount>(
  'a block interval (0 = off), or an array [minimum, maximum] in milliseconds',
  QUANTITY_JSON_SCHEMA,
  readAmount,
);

const milliseconds = leaf('milliseconds below 2^48', QUANTITY_JSON_SCHEMA, readAmount);

function readAmount(value: unknown): number | undefined {
  const read = readQuantity(value);
  return read === undefined || read >= INTERVAL_END ? undefined : Number(read);
}

const RANGE_WORDS = 'an array [minimum, maximum] in milliseconds, with 0 < maximum and minimum <= maximum';

const range = refined<number[], IntervalAmount>(arrayOf(milliseconds, RANGE_WORDS, 2), ([least, most]) =>
  least === undefined || most === undefined || most < least || most === 0
    ? { path: [], expected: RANGE_WORDS }
    : { value: { least: least / 1000, most: most / 1000 } },
);

/** The time between blocks: an amount, or bounds in milliseconds. */
export const intervalAmount = chosenBy<IntervalAmount>(
  (value) => (Array.isArray(value) ? range : amount),
  [amount, range],
);

/** Converts an amount to a block time; `unit` is in seconds. Returns `null` for 0. */
export function blockTimeOf(interval: IntervalAmount, unit: number): BlockTime | null {
  if (typeof interval !== 'number') return interval;
  return interval === 0 ? null : interval * unit;
}
