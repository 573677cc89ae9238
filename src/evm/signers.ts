// Public keys of senders (`signerKey`), and impersonated signers in ECRECOVER and authorizations (EIP-7702).

import { bigIntToFixedBytes, concatBytes, equalBytes, padLeft } from '../primitives/bytes.ts';
import { addressOfPublicKey, curve } from '../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../primitives/secp256k1/secp256k1.ts';
import type { Authorization, Transaction } from '../protocol/transaction.ts';
import { authorizationHash, signingHash } from '../protocol/transaction-encoding.ts';
import type { Message } from './engine.ts';

const FIRST_PROTECTED_V = 35n;
const FIRST_LEGACY_V = 27n;

function recoveryOf({ type, v }: Transaction): number {
  if (type !== 0) return Number(v);
  return Number(v >= FIRST_PROTECTED_V ? (v - FIRST_PROTECTED_V) % 2n : v - FIRST_LEGACY_V);
}

/** Recovers the sender's public key (64 bytes); `undefined` if the sender is impersonated. */
export function signerKey(transaction: Transaction): Uint8Array | undefined {
  const recovery = recoveryOf(transaction);
  if (recovery !== 0 && recovery !== 1) return undefined;
  const { r, s, sender } = transaction;
  const compact = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
  let publicKey: Uint8Array;
  try {
    publicKey = curve.recover(signingHash(transaction), { compact, recovery });
  } catch {
    return undefined;
  }
  return equalBytes(addressOfPublicKey(publicKey), sender) ? publicKey : undefined;
}

/** The parts of a transaction that Rootstock's precompiles can read. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** Returns the sender's public key (64 bytes); `undefined` if the sender is impersonated. */
  publicKey(): Uint8Array | undefined;
}

function isTransaction(message: Message): message is Transaction {
  return 'hash' in message && 'raw' in message;
}

/** Returns the signature data of a transaction; `undefined` for a call. */
export function signedMessageOf(message: Message): SignedMessage | undefined {
  if (!isTransaction(message)) return undefined;
  return { hash: message.hash, publicKey: () => signerKey(message) };
}

/**
 * Returns the impersonated signer (20 bytes) of a signature; `undefined` if the signer must be recovered. A
 * signature is 65 bytes as passed to ECRECOVER: r, s and v (usually 27 or 28).
 */
export type ImpersonatedSigner = (signature: Uint8Array) => Uint8Array | undefined;

/** For chains without impersonated signers. */
export const noImpersonatedSigner: ImpersonatedSigner = () => undefined;

const INPUT_LENGTH = 128;
const V_END = 64;

/**
 * Returns the ECRECOVER output (the address as 32 bytes) if the signature has an impersonated signer.
 * Otherwise returns `undefined`. The input is hash, v, r and s (32 bytes each), padded with zeros.
 */
export function impersonatedRecovery(
  input: Uint8Array,
  signerOf: ImpersonatedSigner,
): Uint8Array | undefined {
  const complete = new Uint8Array(INPUT_LENGTH);
  complete.set(input.subarray(0, INPUT_LENGTH));
  const signature = concatBytes(complete.subarray(V_END), complete.subarray(V_END - 1, V_END));
  const signer = signerOf(signature);
  return signer === undefined ? undefined : padLeft(signer, 32);
}

const HALF_ORDER = CURVE_ORDER / 2n;
/** The v of a signature with parity 0, as ECRECOVER expects it. */
const FIRST_V = 27n;

export function impersonatedAuthority(
  { yParity, r, s }: Authorization,
  signerOf: ImpersonatedSigner,
): Uint8Array | undefined {
  if (yParity > 1n) return undefined;
  const v = Uint8Array.of(Number(FIRST_V + yParity));
  return signerOf(concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32), v));
}

/** Returns the signer (20 bytes) of an authorization, recovered or impersonated; `null` if invalid. */
export function authorityOf(authorization: Authorization, signerOf: ImpersonatedSigner): Uint8Array | null {
  return impersonatedAuthority(authorization, signerOf) ?? recoveredAuthority(authorization);
}

function recoveredAuthority(authorization: Authorization): Uint8Array | null {
  const { yParity, r, s } = authorization;
  if (s > HALF_ORDER || yParity > 1n) return null;
  const hash = authorizationHash(authorization);
  try {
    const compact = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
    return addressOfPublicKey(curve.recover(hash, { compact, recovery: Number(yParity) }));
  } catch {
    // The curve throws if no key exists for the signature. The authorization then changes no account.
    return null;
  }
}
