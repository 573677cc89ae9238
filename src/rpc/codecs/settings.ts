import { stripLeadingZeros } from '../../primitives/bytes.ts';
import { type Codec, leaf, refined } from './codec.ts';
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

/** What transactions are signed for (EIP-155). */
export const chainId = leaf('a chain id from 1 to 2^53 - 1', QUANTITY_JSON_SCHEMA, (value) => {
  const id = readQuantity(value);
  return id === undefined || id === 0n || id > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(id);
});

/** What the miner writes into a block. */
export const extraData = refined(data, (bytes) =>
  bytes.length <= LONGEST_EXTRA_DATA
    ? { value: bytes }
    : { path: [], expected: `hexadecimal data of at most ${LONGEST_EXTRA_DATA} bytes` },
);

/** The value of a slot of the storage: short ones stand at the right. Gives it without leading zeros. */
export const storageValue = refined(storageWord, (value) => ({ value: stripLeadingZeros(value) }));

/** How many blocks to make, up to so many. */
export const blockCountUpTo = (most: number): Codec<number> =>
  leaf(`a number of blocks up to ${most}`, QUANTITY_JSON_SCHEMA, (value) => {
    const count = readQuantity(value);
    return count === undefined || count > BigInt(most) ? undefined : Number(count);
  });

/** How many blocks to make without answering them. */
export const blockCount = blockCountUpTo(1_000_000_000_000);

/** How many blocks to go back. */
export const depth = leaf('a number of blocks below 2^53', QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(count);
});
