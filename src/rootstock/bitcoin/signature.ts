// DER encoding of signatures.

import { bigIntToBytes, bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import { BitcoinFormatError, ByteReader } from './byte-reader.ts';

export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const HALF = 32;

/** Splits the 64 bytes of `r` and `s`. */
export function signatureOfBytes(compact: Uint8Array): EcdsaSignature {
  return { r: bytesToBigInt(compact.subarray(0, HALF)), s: bytesToBigInt(compact.subarray(HALF, 2 * HALF)) };
}

/** Returns the 64 bytes of `r` and `s`, as elliptic curve libraries expect them; `null` if they are too large. */
export function bytesOfSignature({ r, s }: EcdsaSignature): Uint8Array | null {
  if (r >> 256n !== 0n || s >> 256n !== 0n) return null;
  return concatBytes(bigIntToFixedBytes(r, HALF), bigIntToFixedBytes(s, HALF));
}

/** Encodes a signature, without the byte for the signed parts of the transaction. */
export function encodeDer({ r, s }: EcdsaSignature): Uint8Array {
  const integers = concatBytes(encodeInteger(r), encodeInteger(s));
  return concatBytes(Uint8Array.of(SEQUENCE, integers.length), integers);
}

function encodeInteger(value: bigint): Uint8Array {
  const bytes = bigIntToBytes(value);
  const isNegative = bytes.length === 0 || (bytes[0] ?? 0) >= 0x80;
  const signed = isNegative ? concatBytes(new Uint8Array(1), bytes) : bytes;
  return concatBytes(Uint8Array.of(INTEGER, signed.length), signed);
}

/**
 * Decodes a signature as rskj does: bytes after it are ignored, and integers count as unsigned. Throws
 * `BitcoinFormatError`.
 */
export function decodeDer(bytes: Uint8Array): EcdsaSignature {
  const reader = new ByteReader(bytes);
  const content = new ByteReader(readValue(reader, SEQUENCE));
  return { r: readInteger(content), s: readInteger(content) };
}

function readValue(reader: ByteReader, type: number): Uint8Array {
  const found = reader.number(1);
  if (found !== type) throw new BitcoinFormatError(`expected the DER type ${type}, got ${found}`);
  const first = reader.number(1);
  if (first < 0x80) return reader.bytes(first);
  const size = first - 0x80;
  if (size === 0 || size > 4) throw new BitcoinFormatError('a DER length must have at most 4 bytes');
  return reader.bytes(Number(bytesToBigInt(reader.bytes(size))));
}

function readInteger(reader: ByteReader): bigint {
  const bytes = readValue(reader, INTEGER);
  const [first = 0, second = 0] = bytes;
  const isPadded = bytes.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (bytes.length === 0 || isPadded) throw new BitcoinFormatError('a DER integer is not minimal');
  return bytesToBigInt(bytes);
}
