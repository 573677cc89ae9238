import { readDigits } from '../../primitives/hex.ts';
import {
  committedHash,
  readBitcoinBlock,
  readBitcoinTransaction,
} from '../../protocol/merged-mining/parent-chain-block.ts';
import { PARENT_HEADER_SIZE } from '../../protocol/merged-mining/proof-of-work.ts';
import { type Codec, leaf, type Reading, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readFixedData, readQuantity } from './hex-values.ts';

const HASHRATE_LIMIT = 2n ** 64n;

/** Hashes per second, in at most 32 bytes. */
export const hashrate = leaf(
  'a hash rate below 2^64 hashes per second (hexadecimal with 0x, of up to 32 bytes)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const rate = readQuantity(value);
    return rate === undefined || rate >= HASHRATE_LIMIT ? undefined : rate;
  },
);

/** The nonce of a solution, 8 bytes: time and nonce of the parent chain's header, each big-endian. */
export const workNonce = leaf(
  '8 bytes: 0x and 16 hexadecimal digits',
  { type: 'string', pattern: '^0x[0-9a-fA-F]{16}$' },
  (value) => {
    const bytes = readFixedData(value, 8);
    if (bytes === undefined) return undefined;
    const halves = Buffer.from(bytes);
    return { time: halves.readUInt32BE(0), nonce: halves.readUInt32BE(4) };
  },
);

/** The hash that a miner sends in addition to the proving block; it has no effect. */
export const ignoredHash = leaf(
  'a block hash: 32 bytes in hexadecimal, with or without 0x',
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' },
  (value) => (typeof value === 'string' && /^(?:0x)?[0-9a-fA-F]{64}$/.test(value) ? value : undefined),
);

const BARE_HEX_SCHEMA = { type: 'string', pattern: '^(0x)?([0-9a-fA-F]{2})+$' };

/** Reads hex bytes without `0x`, as Bitcoin tools send them, or with it. */
function readBareHex(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  const bytes = readDigits(value, value.startsWith('0x') ? 2 : 0);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

/** A codec of serialized bytes. If `read` throws a `RangeError`, its message becomes the complaint. */
function serialized<T>(whole: string, expected: string, read: (bytes: Uint8Array) => T): Codec<T> {
  const bytes = leaf(`${whole} in hexadecimal, two digits for each byte`, BARE_HEX_SCHEMA, readBareHex);
  const codec = refined(bytes, (value): Reading<T> => {
    try {
      return { value: read(value) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { path: [], expected: `${whole} (${error.message})` };
    }
  });
  return { ...codec, jsonSchema: { ...BARE_HEX_SCHEMA, description: expected } };
}

/**
 * Returns the 32-byte hash that a coinbase transaction commits to. Throws a `RangeError` if there is none.
 */
function commitmentOf(coinbase: Uint8Array): Uint8Array {
  try {
    return committedHash(coinbase);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`the coinbase transaction must commit to a hash, but ${error.message}`);
  }
}

/** A Bitcoin block: decodes to its parts, and the 32-byte hash that its coinbase transaction commits to. */
export const bitcoinBlock = serialized(
  'a serialized Bitcoin block',
  'a serialized Bitcoin block in hexadecimal, with RSKBLOCK: and a 32-byte hash in its coinbase transaction',
  (bytes) => {
    const block = readBitcoinBlock(bytes);
    return { bytes, block, commitment: commitmentOf(block.transactions[0]) };
  },
);

/** The header of a Bitcoin block: 80 bytes. */
export const bitcoinHeader = leaf(
  'the 80 bytes of a Bitcoin block header in hexadecimal',
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{160}$' },
  (value) => {
    const bytes = readBareHex(value);
    return bytes?.length === PARENT_HEADER_SIZE ? bytes : undefined;
  },
);

/** A Bitcoin coinbase transaction: decodes to the transaction without witness, and the committed hash. */
export const bitcoinCoinbase = serialized(
  'a serialized Bitcoin transaction',
  'a serialized Bitcoin transaction in hexadecimal that contains RSKBLOCK: and a 32-byte hash',
  (bytes) => {
    const transaction = readBitcoinTransaction(bytes);
    return { bytes, transaction, commitment: commitmentOf(transaction) };
  },
);

/** 32-byte hashes separated by spaces; an empty string is an empty list. */
export const hashList = leaf(
  '32-byte hashes in hexadecimal with spaces between them',
  { type: 'string', pattern: '^((0x)?[0-9a-fA-F]{64}( (0x)?[0-9a-fA-F]{64})*)?$' },
  (value) => {
    if (typeof value !== 'string') return undefined;
    const hashes: Uint8Array[] = [];
    for (const word of value.split(' ').filter(Boolean)) {
      const hash = readBareHex(word);
      if (hash?.length !== 32) return undefined;
      hashes.push(hash);
    }
    return hashes;
  },
);

const BARE_COUNT = /^(?:0x)?([0-9a-fA-F]{1,8})$/;

/** The number of transactions of a Bitcoin block in hex, with or without `0x`; at least one. */
export const transactionCount = leaf(
  'a number of transactions in hexadecimal, from 1 to ffffffff',
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{1,8}$' },
  (value) => {
    const digits = typeof value === 'string' ? BARE_COUNT.exec(value)?.[1] : undefined;
    const count = digits === undefined ? 0 : Number.parseInt(digits, 16);
    return count === 0 ? undefined : count;
  },
);
