// Verification of secp256r1 signatures (EIP-7951), for example of passkeys.

import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { LazyLibrary, type PrecompiledFunction, truthWord } from './precompiled-contract.ts';

/** Hash, r, s and the coordinates of the public key, 32 bytes each. */
const INPUT_BYTES = 160;
/** The prefix of an uncompressed point (SEC 1, 2.3.3). */
const UNCOMPRESSED = new Uint8Array([4]);

/**
 * Creates P256VERIFY: returns 1 as a word for a valid signature, otherwise no bytes. It never fails. The
 * input is a hash, r, s and the two coordinates of the public key (32 bytes each).
 */
export function p256Verify(price: number): PrecompiledFunction {
  const library = new LazyLibrary(async () => (await import('@noble/curves/nist.js')).p256);
  return library.function(
    () => BigInt(price),
    (p256, input) => {
      if (input.length !== INPUT_BYTES) return EMPTY_BYTES;
      const [hash, signature] = [input.subarray(0, 32), input.subarray(32, 96)];
      const key = concatBytes(UNCOMPRESSED, input.subarray(96));
      // Reject invalid keys first, because the library throws for them.
      if (!p256.utils.isValidPublicKey(key, false)) return EMPTY_BYTES;
      const isRight = p256.verify(signature, hash, key, { prehash: false, lowS: false, format: 'compact' });
      return isRight ? truthWord(true) : EMPTY_BYTES;
    },
  );
}
