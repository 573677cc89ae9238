import { instantiateMcl } from './mcl-instance.ts';
import { MCL_BLS12_381 } from './mcl-module.ts';
import { PairingCurve } from './pairing-curve.ts';

/** The curve BLS12-381, with points encoded as in EIP-2537. */
export const bls12381Curve: PairingCurve = new PairingCurve(await instantiateMcl(MCL_BLS12_381), {
  fieldBytes: 48,
  paddingBytes: 16,
  isImaginaryFirst: false,
  isG1Whole: false,
});
