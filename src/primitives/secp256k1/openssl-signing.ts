// Signs with Node's OpenSSL. A signature takes seven times as long as with the native package, but needs none
// of its 10 ms of loading.

import { createECDH, createHmac } from 'node:crypto';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../bytes.ts';
import { CURVE_ORDER, type Signature } from './secp256k1.ts';

const SIZE = 32;
const [ZERO, ONE] = [Uint8Array.of(0), Uint8Array.of(1)];

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** Returns true for the bytes of a valid private key or nonce: between 1 and the curve order minus one. */
function isScalar(value: bigint): boolean {
  return value > 0n && value < CURVE_ORDER;
}

/** Returns the first nonce of RFC 6979, section 3.2, for a hash below the curve order. */
function nonceOf(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const first: Uint8Array = new Uint8Array(SIZE).fill(1);
  const firstKey = hmac(new Uint8Array(SIZE), first, ZERO, privateKey, hash);
  const second = hmac(firstKey, first);
  const key = hmac(firstKey, second, ONE, privateKey, hash);
  return hmac(key, hmac(key, second));
}

/** Returns the inverse modulo the curve order (extended Euclidean algorithm). */
function inverseOf(value: bigint): bigint {
  let [rest, next] = [CURVE_ORDER, value];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + CURVE_ORDER : factor;
}

/** Returns the public point of a nonce (65 bytes); `null` if OpenSSL was built without this curve. */
function pointOf(nonce: Uint8Array): Uint8Array | null {
  try {
    const curve = createECDH('secp256k1');
    curve.setPrivateKey(nonce);
    return curve.getPublicKey();
  } catch {
    return null;
  }
}

/**
 * Returns the same signature of a 32-byte hash (RFC 6979) as the other implementations. Returns `null` if
 * another implementation must sign: for a hash above the curve order, an invalid private key, or an OpenSSL
 * without this curve. Also for nonces that occur once in 2^127 signatures.
 */
export function opensslSignature(hash: Uint8Array, privateKey: Uint8Array): Signature | null {
  const [message, secret] = [bytesToBigInt(hash), bytesToBigInt(privateKey)];
  if (hash.length !== SIZE || privateKey.length !== SIZE) return null;
  if (message >= CURVE_ORDER || !isScalar(secret)) return null;
  const nonce = nonceOf(hash, privateKey);
  const nonceValue = bytesToBigInt(nonce);
  const point = isScalar(nonceValue) ? pointOf(nonce) : null;
  if (point === null) return null;
  const r = bytesToBigInt(point.subarray(1, 1 + SIZE));
  const s = (inverseOf(nonceValue) * ((message + r * secret) % CURVE_ORDER)) % CURVE_ORDER;
  if (!isScalar(r) || s === 0n) return null;
  const isHigh = s > CURVE_ORDER / 2n;
  const isOdd = ((point.at(-1) ?? 0) & 1) === 1;
  const lowS = isHigh ? CURVE_ORDER - s : s;
  return {
    compact: concatBytes(bigIntToFixedBytes(r, SIZE), bigIntToFixedBytes(lowS, SIZE)),
    recovery: isOdd === isHigh ? 0 : 1,
  };
}
