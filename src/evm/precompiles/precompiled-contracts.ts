// The precompiles of each rule set.

import { createHash } from 'node:crypto';
import { bytesToBigInt, EMPTY_BYTES, padLeft } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../../primitives/secp256k1/secp256k1.ts';
import {
  type Precompile,
  type PrecompileGas,
  type PrecompileName,
  precompilesOf,
  type WordPricedGas,
} from '../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { type ImpersonatedSigner, impersonatedRecovery } from '../signers.ts';
import { blake2f } from './blake2f.ts';
import { bls12381Functions } from './bls12-381.ts';
import { modularExponentiation } from './modular-exponentiation.ts';
import { p256Verify } from './p256-verify.ts';
import { pointEvaluation } from './point-evaluation.ts';
import {
  type CreateRootstockPrecompiles,
  countParts,
  LazyLibrary,
  type PrecompiledContract,
  type PrecompiledFunction,
  type PrecompileSteps,
  readyFunction,
  slicePadded,
  truthWord,
} from './precompiled-contract.ts';

function isScalar(bytes: Uint8Array): boolean {
  const value = bytesToBigInt(bytes);
  return value > 0n && value < CURVE_ORDER;
}

/**
 * Creates ECRECOVER: the signer of a hash (input: hash, v, r, s; 32 bytes each), or no bytes if the signature
 * is invalid. The signers of `signerOf` take precedence over the curve.
 */
function ecRecover(price: number, signerOf: ImpersonatedSigner): PrecompiledFunction {
  return readyFunction({
    gas: () => BigInt(price),
    run(input) {
      const impersonated = impersonatedRecovery(input, signerOf);
      if (impersonated) return impersonated;
      const words = slicePadded(input, 0, 128);
      const v = bytesToBigInt(words.subarray(32, 64));
      const isValid =
        (v === 27n || v === 28n) && isScalar(words.subarray(64, 96)) && isScalar(words.subarray(96));
      const publicKey = isValid ? recovered(words, Number(v) - 27) : undefined;
      if (!publicKey) return EMPTY_BYTES;
      const result = keccak256(publicKey);
      result.fill(0, 0, 12);
      return result;
    },
  });
}

function recovered(words: Uint8Array, recovery: number): Uint8Array | undefined {
  try {
    return curve.recover(words.subarray(0, 32), { compact: words.subarray(64, 128), recovery });
  } catch {
    // `r` is not a coordinate of a point, or the point is at infinity, so no key exists for the signature.
    return undefined;
  }
}

const PAIR_BYTES = 192;

/** Creates the alt_bn128 precompiles: sum and product (EIP-196), pairing check (EIP-197). */
function bn254Functions(price: PrecompileGas): Record<'add' | 'multiply' | 'pairing', PrecompiledFunction> {
  const library = new LazyLibrary(async () => (await (await import('./mcl-curves.ts')).CURVES).bn254Curve);
  const { base, pair } = price.bn254Pairing;
  return {
    add: library.function(
      () => BigInt(price.bn254Add),
      ({ g1 }, input) => g1.add(slicePadded(input, 0, 128)),
    ),
    multiply: library.function(
      () => BigInt(price.bn254Multiply),
      ({ g1 }, input) => g1.multiply(slicePadded(input, 0, 96)),
    ),
    pairing: library.functionInSteps(
      (input) => BigInt(base + pair * Math.floor(input.length / PAIR_BYTES)),
      function* (curve, input) {
        return truthWord(yield* curve.isProductOfEncodedOne(input, countParts(input, PAIR_BYTES)));
      },
    ),
  };
}

/** Bytes per time slice (a millisecond of the slowest of these functions). */
const BYTES_OF_PIECE = 2 ** 17;

function wordPriced(
  { base, word }: WordPricedGas,
  run: (input: Uint8Array) => Uint8Array,
  runInSteps: (input: Uint8Array) => PrecompileSteps,
): PrecompiledFunction {
  return readyFunction({
    gas: (input) => BigInt(base + word * Math.ceil(input.length / 32)),
    run,
    runInSteps,
    isLongByInput: true,
  });
}

/** Calls `take` for each part of the input. Yields between parts. */
function* eachPart(
  input: Uint8Array,
  take: (part: Uint8Array, start: number) => void,
): Generator<void, void, void> {
  for (let start = 0; start < input.length; start += BYTES_OF_PIECE) {
    if (start > 0) yield;
    take(input.subarray(start, start + BYTES_OF_PIECE), start);
  }
}

function digest(algorithm: string, input: Uint8Array): Uint8Array {
  return new Uint8Array(createHash(algorithm).update(input).digest());
}

function* digestInSteps(algorithm: string, input: Uint8Array): PrecompileSteps {
  const hash = createHash(algorithm);
  yield* eachPart(input, (part) => hash.update(part));
  return new Uint8Array(hash.digest());
}

function* copyInSteps(input: Uint8Array): PrecompileSteps {
  const output = new Uint8Array(input.length);
  yield* eachPart(input, (part, start) => output.set(part, start));
  return output;
}

function sha256(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(
    price,
    (input) => digest('sha256', input),
    (input) => digestInSteps('sha256', input),
  );
}

/** Returns the hash left-padded with zeros to 32 bytes. */
function ripemd160(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(
    price,
    (input) => padLeft(digest('ripemd160', input), 32),
    function* (input) {
      return padLeft(yield* digestInSteps('ripemd160', input), 32);
    },
  );
}

function identity(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(price, (input) => input.slice(), copyInSteps);
}

/** Creates the functions of all precompiles. The type checks that each name has a function. */
function precompiledFunctions(
  gas: PrecompileGas,
  network: ReturnType<CreateRootstockPrecompiles>,
  signerOf: ImpersonatedSigner,
): Readonly<Record<PrecompileName, PrecompiledFunction>> {
  const bn254 = bn254Functions(gas);
  const bls12381Curve = new LazyLibrary(
    async () => (await (await import('./mcl-curves.ts')).CURVES).bls12381Curve,
  );
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
    P256VERIFY: p256Verify(gas.p256Verify),
    ...network,
  };
}

export class PrecompiledContracts {
  readonly #contracts: ReadonlyMap<string, PrecompiledContract>;

  /** Creates the precompiles of a rule set. `signerOf` returns the impersonated signers for ECRECOVER. */
  constructor(
    ruleSet: RuleSet,
    chainId: number,
    createRootstockPrecompiles: CreateRootstockPrecompiles,
    signerOf: ImpersonatedSigner = () => undefined,
  ) {
    const { precompiles } = ruleSet;
    const network = createRootstockPrecompiles(precompiles, chainId);
    const functions = precompiledFunctions(precompiles.gas, network, signerOf);
    this.#contracts = new Map(
      precompilesOf(ruleSet).map((precompile) => [
        hexKey(precompile.address),
        contractOf(precompile, functions[precompile.name]),
      ]),
    );
  }

  /** Returns the precompiles by ascending address. */
  all(): PrecompiledContract[] {
    return [...this.#contracts.values()];
  }

  /** Returns the precompile at an address (20 bytes); `undefined` if absent. */
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
    prepare: functions.prepare,
    runInSteps: functions.runInSteps,
    isLongByInput: functions.isLongByInput,
    load: functions.load,
    get isReady() {
      return functions.isReady;
    },
  };
}
