import { fromHex } from '../../primitives/hex.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { leaf } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The passphrase of a key; it may be empty. */
export const passphrase = leaf('a passphrase, which may be empty', { type: 'string' }, readText);

/** The text that a key is made from. */
export const seedText = leaf('a seed text', { type: 'string' }, readText);

const RAW_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** A private key of secp256k1, with `0x` or without. */
export const rawKey = leaf(
  'a private key: 64 hexadecimal digits that are not zero and below the order of secp256k1',
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' },
  (value) => {
    const digits = typeof value === 'string' ? RAW_KEY.exec(value)?.[1] : undefined;
    if (digits === undefined) return undefined;
    const key = fromHex(`0x${digits}`);
    return curve.isPrivateKey(key) ? key : undefined;
  },
);

// Far beyond any life of a node, and small enough that sums with times stay exact.
const DURATION_LIMIT = 2n ** 48n;

/** How long an account is to stay unlocked, in milliseconds; `null` for an empty text, which leaves it to the node. */
export const unlockDuration = leaf<number | null>(
  'a duration in milliseconds below 2^48 (hexadecimal with 0x, a decimal string or a number), or an empty text',
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [''] }] },
  (value) => {
    if (value === '') return null;
    const duration = readQuantity(value);
    return duration === undefined || duration >= DURATION_LIMIT ? undefined : Number(duration);
  },
);
