// The two hex forms of values in JSON-RPC: QUANTITY and DATA.

import { bigIntToFixedBytes, bytesToBigInt, padLeft } from '../../primitives/bytes.ts';
import { fromHex, type Hex, readHex, toQuantity } from '../../primitives/hex.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { DATA_DESCRIPTIONS, dataSchema, integer } from '../../wire/values.ts';
import { type Codec, historic, leaf } from './codec.ts';

const HEX_QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const DECIMAL = /^[0-9]{1,78}$/;
const LEADING_ZEROS = /^0x0+(?=[0-9a-fA-F])/;
const LONGEST = 256;
const LIMIT = 1n << 256n;

/**
 * Parses an unsigned integer below 2^256; `undefined` if invalid. Clients use different forms: hex with or
 * without leading zeros, decimal strings and JSON numbers are all valid.
 */
export function readQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'string') {
    if (value.length > LONGEST) return undefined;
    if (HEX_QUANTITY.test(value)) return BigInt(value);
    if (DECIMAL.test(value)) {
      const decimal = BigInt(value);
      return decimal < LIMIT ? decimal : undefined;
    }
    const trimmed = value.replace(LEADING_ZEROS, '0x');
    return HEX_QUANTITY.test(trimmed) ? BigInt(trimmed) : undefined;
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  if (typeof value === 'bigint') return value >= 0n && value < LIMIT ? value : undefined;
  return undefined;
}

export const QUANTITY_JSON_SCHEMA = integer.jsonSchema;

export const quantity = leaf(
  'an unsigned integer below 2^256 (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  readQuantity,
);

/** An index or a count. An index beyond any array is valid and finds nothing. */
export const index = leaf(
  'an index (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined ? undefined : Number(read);
  },
);

// Later than any realistic date, and small enough for exact sums of times.
const SECONDS_LIMIT = 2n ** 48n;

/** A duration or a timestamp, in seconds. */
export const seconds = leaf(
  'a whole number of seconds from 0 to 2^48 - 1 (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined || read >= SECONDS_LIMIT ? undefined : Number(read);
  },
);

/** A codec of a count of `things` from `least` to `most`. */
export function countUpTo(most: number, things: string, least = 1): Codec<number> {
  return leaf(
    `a number of ${things} from ${least} to ${most} (hexadecimal with 0x, a decimal string or a number)`,
    QUANTITY_JSON_SCHEMA,
    (value) => {
      const count = readQuantity(value);
      return count === undefined || count < least || count > most ? undefined : Number(count);
    },
  );
}

const MAX_PAGE = 1_000;

export const pageSize = countUpTo(MAX_PAGE, 'items');

/** Decodes DATA of exactly `length` bytes; `undefined` for other values. */
export function readFixedData(value: unknown, length: number): Uint8Array | undefined {
  return typeof value === 'string' && value.length === 2 + 2 * length ? readHex(value) : undefined;
}

/** DATA of any length. */
export const data = leaf(DATA_DESCRIPTIONS.bytes, dataSchema(), (value) =>
  typeof value === 'string' ? readHex(value) : undefined,
);

/** An address of 20 bytes. Checksums are not verified, because they depend on the wallet's chain. */
export const address = leaf(DATA_DESCRIPTIONS.address, dataSchema(20), (value) => readFixedData(value, 20));

/** 32 bytes that are not the hash of a block or a transaction. */
export const word32 = leaf(DATA_DESCRIPTIONS.hash, dataSchema(32), (value) => readFixedData(value, 32));

/** The hash of a block or a transaction: 32 bytes. */
export const hash32 = historic(word32);

/** A signature with its recovery byte: r, s and v, 65 bytes. */
export const signature65 = leaf('a signature: 0x and 130 hexadecimal digits', dataSchema(65), (value) =>
  readFixedData(value, 65),
);

const MAX_WORD_LENGTH = '0x'.length + 64;
const SHORT_DATA = /^0x(?:[0-9a-fA-F]{2}){0,32}$/;

function readShortWord(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') {
    if (SHORT_DATA.test(value)) return padLeft(fromHex(value), 32);
    // Longer data is invalid, even if its first bytes are zeros.
    if (value.startsWith('0x') && value.length > MAX_WORD_LENGTH) return undefined;
  }
  const number = readQuantity(value);
  return number === undefined ? undefined : bigIntToFixedBytes(number, 32);
}

function isAnyHex(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value);
}

function shortWord(expected: string, hasForm?: (value: unknown) => boolean): Codec<Uint8Array> {
  return leaf(expected, { type: 'string', pattern: '^0x[0-9a-fA-F]{0,64}$' }, readShortWord, hasForm);
}

const SLOT_EXPECTED =
  'a storage position of at most 32 bytes (hexadecimal with 0x, a decimal string or a number)';

/** A storage slot as 32 bytes: a QUANTITY, or DATA of up to 32 bytes, padded with zeros on the left. */
export const storageSlot = shortWord(SLOT_EXPECTED);

/** As {@link storageSlot}, for writes: a longer value is out of range. */
export const storageKey = shortWord(SLOT_EXPECTED, isAnyHex);

/** The start of a range of 32-byte keys: DATA of at most 32 bytes, padded with zeros on the right. */
export const keyStart = leaf('at most 32 bytes of hexadecimal data with 0x', dataSchema(), (value) => {
  const start = typeof value === 'string' && value.length <= 66 ? readHex(value) : undefined;
  if (start === undefined) return undefined;
  const key = new Uint8Array(32);
  key.set(start);
  return key;
});

/** A storage slot, with its text in the request. */
export interface RequestedSlot {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** The hex text of the request in lower case, or the QUANTITY of another number. */
  readonly asked: Hex;
}

const HEX_TEXT = /^0x[0-9a-f]*$/;

/** A storage slot as {@link storageSlot}, with the text that the result uses as its key. */
export const requestedSlot: Codec<RequestedSlot> = leaf(
  SLOT_EXPECTED,
  storageSlot.jsonSchema,
  (value): RequestedSlot | undefined => {
    const slot = readShortWord(value);
    if (slot === undefined) return undefined;
    const text = String(value).toLowerCase();
    return { slot, asked: isHexText(text) ? text : toQuantity(bytesToBigInt(slot)) };
  },
);

function isHexText(text: string): text is Hex {
  return HEX_TEXT.test(text);
}

/** A storage value as 32 bytes: a QUANTITY, or DATA of up to 32 bytes, padded with zeros on the left. */
export const storageWord = shortWord(
  'a storage value of at most 32 bytes (hexadecimal with 0x, a decimal string or a number)',
  isAnyHex,
);

/** A PREVRANDAO as 32 bytes: a QUANTITY, as viem sends it, or DATA, padded with zeros on the left. */
export const randomWord = shortWord(
  'a value of at most 32 bytes (hexadecimal with 0x, a decimal string or a number)',
);

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The passphrase of a key; may be empty. */
export const passphrase = leaf('a passphrase, which may be empty', { type: 'string' }, readText);

/** The seed of a key derivation. */
export const seedText = leaf('a seed string', { type: 'string' }, readText);

const RAW_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** A private key of secp256k1, with or without `0x`. */
export const rawKey = leaf(
  'a private key: 64 hexadecimal digits, above zero and below the order of secp256k1',
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' },
  (value) => {
    const digits = typeof value === 'string' ? RAW_KEY.exec(value)?.[1] : undefined;
    if (digits === undefined) return undefined;
    const key = fromHex(`0x${digits}`);
    return curve.isPrivateKey(key) ? key : undefined;
  },
);

// Longer than a node runs, and small enough for exact sums with times.
const DURATION_LIMIT = 2n ** 48n;

/** Milliseconds until an account is locked again; `null` for an empty string (the node's default). */
export const unlockDuration = leaf<number | null>(
  'a duration in milliseconds below 2^48 (hexadecimal with 0x, a decimal string or a number), or an empty string',
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [''] }] },
  (value) => {
    if (value === '') return null;
    const duration = readQuantity(value);
    return duration === undefined || duration >= DURATION_LIMIT ? undefined : Number(duration);
  },
);
