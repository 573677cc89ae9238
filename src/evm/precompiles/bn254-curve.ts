import { instantiateMcl } from './mcl-instance.ts';
import { MCL_BN254 } from './mcl-module.ts';
import { PairingCurve } from './pairing-curve.ts';

/** The curve alt_bn128, with points encoded as in EIP-196 and EIP-197. */
export const bn254Curve: PairingCurve = new PairingCurve(await instantiateMcl(MCL_BN254), {
  fieldBytes: 32,
  paddingBytes: 0,
  isImaginaryFirst: true,
  isG1Whole: true,
});
