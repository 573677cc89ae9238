// The precompiles of each rule set.

import { hexKey } from '../../primitives/hex.ts';
import {
  type Precompile,
  type PrecompileGas,
  type PrecompileName,
  precompilesOf,
} from '../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { ImpersonatedSigner } from '../signers.ts';
import { blake2f } from './blake2f.ts';
import { bls12381Functions } from './bls12-381.ts';
import { bn254Functions } from './bn254.ts';
import { ecRecover } from './ecrecover.ts';
import { LazyLibrary } from './lazy-library.ts';
import { modularExponentiation } from './modular-exponentiation.ts';
import { networkFunctions } from './network/network-functions.ts';
import { pointEvaluation } from './point-evaluation.ts';
import type { PrecompiledContract, PrecompiledFunction } from './precompiled-contract.ts';
import { identity, ripemd160, sha256 } from './word-priced.ts';

/** Returns the functions of all precompiles that some rule set has. The compiler asks for one for each name. */
function precompiledFunctions(
  gas: PrecompileGas,
  chainId: number,
  signerOf: ImpersonatedSigner,
): Readonly<Record<PrecompileName, PrecompiledFunction>> {
  const bn254 = bn254Functions(gas);
  const bls12381Curve = new LazyLibrary(async () => (await import('./mcl-curves.ts')).bls12381Curve);
  const bls12381 = bls12381Functions(bls12381Curve, gas);
  return {
    ECREC: ecRecover(gas.ecRecover, signerOf),
    SHA256: sha256(gas.sha256),
    RIPEMD160: ripemd160(gas.ripemd160),
    ID: identity(gas.identity),
    MODEXP: modularExponentiation(gas.modularExponentiation),
    BN254_ADD: bn254.add,
    BN254_MUL: bn254.multiply,
    BN254_PAIRING: bn254.pairing,
    BLAKE2F: blake2f(gas.blake2Round),
    KZG_POINT_EVALUATION: pointEvaluation(bls12381Curve, gas.pointEvaluation),
    BLS12_G1ADD: bls12381.g1Add,
    BLS12_G1MSM: bls12381.g1Msm,
    BLS12_G2ADD: bls12381.g2Add,
    BLS12_G2MSM: bls12381.g2Msm,
    BLS12_PAIRING_CHECK: bls12381.pairing,
    BLS12_MAP_FP_TO_G1: bls12381.mapToG1,
    BLS12_MAP_FP2_TO_G2: bls12381.mapToG2,
    ...networkFunctions(gas.network, chainId),
  };
}

/** The precompiles that code can call under a rule set. */
export class PrecompiledContracts {
  readonly #contracts: ReadonlyMap<string, PrecompiledContract>;

  /**
   * Creates those of the rule set on the chain with that id, at the given prices. `signerOf` returns the impersonated
   * signers for ECRECOVER.
   */
  constructor(ruleSet: RuleSet, chainId: number, signerOf: ImpersonatedSigner = () => undefined) {
    const functions = precompiledFunctions(ruleSet.precompiles.gas, chainId, signerOf);
    this.#contracts = new Map(
      precompilesOf(ruleSet).map((precompile) => [
        hexKey(precompile.address),
        contractOf(precompile, functions[precompile.name]),
      ]),
    );
  }

  /** Returns all of them, by ascending address. */
  all(): PrecompiledContract[] {
    return [...this.#contracts.values()];
  }

  /** Returns the one at an address of 20 bytes, or `undefined` when there is none. */
  at(address: Uint8Array): PrecompiledContract | undefined {
    return this.#contracts.get(hexKey(address));
  }
}

function contractOf({ name, address }: Precompile, functions: PrecompiledFunction): PrecompiledContract {
  return {
    name,
    address,
    gas: functions.gas,
    run: functions.run,
    runInPieces: functions.runInPieces,
    isLongByInput: functions.isLongByInput,
    load: functions.load,
    get isReady() {
      return functions.isReady;
    },
  };
}
