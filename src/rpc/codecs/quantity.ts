import { integer } from '../../wire/values.ts';
import { leaf } from './codec.ts';

const HEX_QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const DECIMAL = /^[0-9]{1,78}$/;
const LEADING_ZEROS = /^0x0+(?=[0-9a-fA-F])/;
const LONGEST = 256;
const LIMIT = 1n << 256n;

/**
 * The unsigned integer that a value spells, `undefined` when it spells none below 2^256. Clients differ in how they
 * write one, so hexadecimal with or without leading zeros, decimal strings and JSON numbers are all read.
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

/** The JSON Schema of a QUANTITY in its canonical form. */
export const QUANTITY_JSON_SCHEMA = integer.jsonSchema;

/** QUANTITY: an unsigned integer below 2^256. */
export const quantity = leaf(
  'an unsigned integer below 2^256 (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  readQuantity,
);

/** An index or a count. One beyond any array is read too, since it is not wrong but finds nothing. */
export const index = leaf(
  'an index (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined ? undefined : Number(read);
  },
);

// Far beyond any date, and small enough that sums of times stay exact.
const SECONDS_LIMIT = 2n ** 48n;

/** A duration or a point in time, in seconds. */
export const seconds = leaf(
  'a whole number of seconds, not negative and below 2^48 (hexadecimal with 0x, a decimal string or a number)',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined || read >= SECONDS_LIMIT ? undefined : Number(read);
  },
);

const LARGEST_PAGE = 1_000n;

/** The number of items of a page. */
export const pageSize = leaf(
  `a page size from 1 to ${LARGEST_PAGE} (hexadecimal with 0x, a decimal string or a number)`,
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const size = readQuantity(value);
    return size === undefined || size === 0n || size > LARGEST_PAGE ? undefined : Number(size);
  },
);
