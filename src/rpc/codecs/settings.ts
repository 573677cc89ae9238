import type { SnapshotId } from '../../chain/errors.ts';
import { isUpstreamUrl } from '../../fork/fork-options.ts';
import { stripLeadingZeros } from '../../primitives/bytes.ts';
import { type Codec, chosenBy, leaf, refined } from './codec.ts';
import { data, storageWord } from './data.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const GAS_LIMIT_END = 2n ** 63n;
const HIGHEST_NONCE = 2n ** 64n - 1n;
const LONGEST_EXTRA_DATA = 32;

/** The gas of a block: not 0, with which no block could take a transaction. */
export const blockGasLimit = leaf(
  'an amount of gas from 1 to 2^63 - 1',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const gas = readQuantity(value);
    return gas === undefined || gas === 0n || gas >= GAS_LIMIT_END ? undefined : gas;
  },
  (value) => readQuantity(value) !== undefined,
);

/** A nonce that has a next one (EIP-2681). */
export const accountNonce = leaf('a nonce below 2^64 - 1', QUANTITY_JSON_SCHEMA, (value) => {
  const nonce = readQuantity(value);
  return nonce === undefined || nonce >= HIGHEST_NONCE ? undefined : nonce;
});

/** The chain id that transactions are signed for (EIP-155). */
export const chainId = leaf('a chain id from 1 to 2^53 - 1', QUANTITY_JSON_SCHEMA, (value) => {
  const id = readQuantity(value);
  return id === undefined || id === 0n || id > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(id);
});

/** The extra data that the miner writes into a block. */
export const extraData = refined(data, (bytes) =>
  bytes.length <= LONGEST_EXTRA_DATA
    ? { value: bytes }
    : { path: [], expected: `hexadecimal data of at most ${LONGEST_EXTRA_DATA} bytes` },
);

/** The value of a slot of the storage: short ones stand at the right. Gives it without leading zeros. */
export const storageValue = refined(storageWord, (value) => ({ value: stripLeadingZeros(value) }));

/** The number of blocks to make, up to a limit. */
export const blockCountUpTo = (most: number): Codec<number> =>
  leaf(`a number of blocks up to ${most}`, QUANTITY_JSON_SCHEMA, (value) => {
    const count = readQuantity(value);
    return count === undefined || count > BigInt(most) ? undefined : Number(count);
  });

/** The number of blocks to make that are not answered. */
export const blockCount = blockCountUpTo(1_000_000_000_000);

/** The number of blocks to go back. */
export const depth = leaf('a number of blocks below 2^53', QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(count);
});

/** Reading a longer one takes long, and no service has such. */
const LONGEST = 8_192;

/** The URL of a node to fork, as it came: it may hold secrets, so errors contain its kind only. */
export const upstreamUrl: Codec<string> = leaf(
  `an HTTP or WebSocket URL of at most ${LONGEST} characters`,
  { type: 'string', format: 'uri' },
  (value) =>
    typeof value === 'string' && value.length <= LONGEST && isUpstreamUrl(value) ? value : undefined,
);

const NAME = /^[A-Za-z][ -~]{0,99}$/;
const NAME_WORDS = 'a name of at most 100 printable characters that begins with a letter';

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** The name of a checkpoint. It cannot be taken for a number. */
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

/** A snapshot by its number, or a checkpoint by its name. */
export const snapshotId = chosenBy<SnapshotId>(
  (value) => (isName(value) ? checkpointName : snapshotNumber),
  [snapshotNumber, checkpointName],
);

/** The number of the block to fork another chain at; numbers may be written in any form there. */
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
