import { concatBytes, padLeft } from '../primitives/bytes.ts';

/**
 * Who counts as the signer of whatever has this signature: 20 bytes, or `undefined` where nothing is set and the curve
 * tells. A signature is 65 bytes: r, s and v (27 or 28, if nobody set another) as contracts give them to ECRECOVER.
 */
export type ImpersonatedSigner = (signature: Uint8Array) => Uint8Array | undefined;

/** Where nobody is set as the signer of anything. */
export const nobodyImpersonated: ImpersonatedSigner = () => undefined;

const INPUT_LENGTH = 128;
const V_END = 64;

/**
 * What the ECRECOVER precompile returns for its input (hash, v, r and s, 32 bytes each, zeros for what is missing)
 * when somebody is set as the signer: the address as 32 bytes. `undefined` where the precompile must compute it.
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
