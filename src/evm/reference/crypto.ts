import type { CustomCrypto } from '@ethereumjs/common';
import { concatBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { engineKzg } from './kzg.ts';

function recoverPublicKey(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  const compact = concatBytes(padLeft(r, 32), padLeft(s, 32));
  return curve.recover(hash, { compact, recovery: Number(v - 27n) });
}

/**
 * The hash and the curve that this node computes with, in place of the library's slower ones, and the check of KZG
 * proofs, which the library has none of. Public keys are
 * recovered for the ECRECOVER precompile only, which has made sure that `v` is 27 or 28: the engine is told the
 * sender of every message.
 */
export const engineCrypto: CustomCrypto = { keccak256, ecrecover: recoverPublicKey, kzg: engineKzg };
