// The curves of the mcl library.

import createModule from 'mcl-wasm/dist/mcl_c.js';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { MCL_BLS12_381, MCL_BN254, type MclModule } from './mcl-module.ts';
import { PairingCurve } from './pairing-curve.ts';

/** The library's code for its compiled sizes: 4 and 6 units of 64 bits. */
const COMPILED_FOR = 46;
const MAP_BY_RFC_9380 = 5;

/** Creates an instance for one curve. Points must be on the curve; their order is not checked. */
async function instantiateMcl(curve: number): Promise<MclModule> {
  const module: MclModule = await createModule({
    cryptoGetRandomValues: () => {
      throw new Error('Precompiles use no randomness');
    },
  });
  if (module._mclBn_init(curve, COMPILED_FOR) !== 0) throw new Error(`mcl has no curve ${curve}`);
  module._mclBn_verifyOrderG1(0);
  module._mclBn_verifyOrderG2(0);
  if (curve === MCL_BLS12_381) module._mclBn_setMapToMode(MAP_BY_RFC_9380);
  return module;
}

interface Curves {
  /** BLS12-381, with points encoded as in EIP-2537. */
  readonly bls12381Curve: PairingCurve;
  /** alt_bn128, with points encoded as in EIP-196 and EIP-197. */
  readonly bn254Curve: PairingCurve;
}

/** Yields before each instance, because each one takes some ten milliseconds. */
async function instantiateCurves(): Promise<Curves> {
  await nextIteration();
  const forBls12381 = await instantiateMcl(MCL_BLS12_381);
  await nextIteration();
  const forBn254 = await instantiateMcl(MCL_BN254);
  return {
    bls12381Curve: new PairingCurve(forBls12381, {
      fieldBytes: 48,
      paddingBytes: 16,
      isImaginaryFirst: false,
      isG1Whole: false,
    }),
    bn254Curve: new PairingCurve(forBn254, {
      fieldBytes: 32,
      paddingBytes: 0,
      isImaginaryFirst: true,
      isG1Whole: true,
    }),
  };
}

/** Not a top-level `await`, because the package's scripts cannot load modules that use one. */
export const CURVES: Promise<Curves> = instantiateCurves();
