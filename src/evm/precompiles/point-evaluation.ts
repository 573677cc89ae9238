import { createHash } from 'node:crypto';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { PrecompileError } from './errors.ts';
import { requireLength } from './input.ts';
import { isKzgProofRight } from './kzg-proof.ts';
import type { LazyLibrary } from './lazy-library.ts';
import type { PairingCurve } from './pairing-curve.ts';
import type { PrecompiledFunction } from './precompiled-contract.ts';

/** The order of BLS12-381's groups. */
const ORDER = 0x73eda753_299d7d48_3339d808_09a1d805_53bda402_fffe5bfe_ffffffff_00000001n;
const FIELD_ELEMENTS_PER_BLOB = 4_096n;
const VERSION_OF_KZG = 1;

/** What the precompile answers when the proof is right. */
const ANSWER = concatBytes(bigIntToFixedBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigIntToFixedBytes(ORDER, 32));

/**
 * KZG_POINT_EVALUATION (EIP-4844): refuses a proof that is not right. The input is a versioned hash, `z` and `y` of 32
 * bytes each, commitment and proof of 48.
 */
export function pointEvaluation(library: LazyLibrary<PairingCurve>, price: number): PrecompiledFunction {
  return library.function(
    () => BigInt(price),
    (curve, input) => {
      requireLength(input, 192);
      const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)];
      const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)];
      if (!equalBytes(input.subarray(0, 32), versionedHash(commitment))) {
        throw new PrecompileError('The versioned hash is not of the commitment');
      }
      if (bytesToBigInt(z) >= ORDER || bytesToBigInt(y) >= ORDER) {
        throw new PrecompileError('The number is not below the order of the group');
      }
      if (!isKzgProofRight(curve, commitment, z, y, proof)) throw new PrecompileError('The proof is wrong');
      return ANSWER.slice();
    },
  );
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = new Uint8Array(createHash('sha256').update(commitment).digest());
  hash[0] = VERSION_OF_KZG;
  return hash;
}
