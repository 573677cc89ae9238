import { concatBytes, equalBytes } from '../../../../primitives/bytes.ts';
import { doubleSha256 } from '../../../../primitives/sha256.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;
const CHECKSUM_SIZE = 4;

/** The longest text that is read: addresses have about half as many letters. */
const MOST_LETTERS = 128;

/** What Base58Check text says. */
export interface VersionedPayload {
  /** 0 to 255. */
  readonly version: number;
  readonly payload: Uint8Array;
}

function checksum(bytes: Uint8Array): Uint8Array {
  return doubleSha256(bytes).subarray(0, CHECKSUM_SIZE);
}

/** A version (0 to 255) and bytes as people write addresses of the parent chain: in base 58, with a checksum. */
export function encodeBase58Check(version: number, payload: Uint8Array): string {
  const versioned = concatBytes(Uint8Array.of(version), payload);
  const bytes = concatBytes(versioned, checksum(versioned));
  let text = '';
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= BASE) {
    text = ALPHABET.charAt(Number(rest % BASE)) + text;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return ALPHABET.charAt(0).repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** The version and the bytes of such a text; `undefined` when it is none, or its checksum is another. */
export function decodeBase58Check(text: string): VersionedPayload | undefined {
  if (text.length > MOST_LETTERS) return undefined;
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * BASE + BigInt(digit);
  }
  const digits = value === 0n ? '' : value.toString(16);
  const number = Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex');
  const zeros = text.length - text.replace(/^1+/, '').length;
  const bytes = concatBytes(new Uint8Array(zeros), number);
  const [version] = bytes;
  if (version === undefined || bytes.length <= CHECKSUM_SIZE) return undefined;
  const versioned = bytes.subarray(0, bytes.length - CHECKSUM_SIZE);
  if (!equalBytes(bytes.subarray(versioned.length), checksum(versioned))) return undefined;
  return { version, payload: versioned.subarray(1) };
}
