import type { PrecompileGas } from '../../protocol/hardforks/precompiles.ts';
import { countParts, slicePadded, truthWord } from './input.ts';
import { LazyLibrary } from './lazy-library.ts';
import type { PrecompiledFunction } from './precompiled-contract.ts';

const PAIR_BYTES = 192;

/** Returns the precompiles of the curve alt_bn128: sum and product of points (EIP-196), check of pairings (EIP-197). */
export function bn254Functions(
  price: PrecompileGas,
): Record<'add' | 'multiply' | 'pairing', PrecompiledFunction> {
  const library = new LazyLibrary(async () => (await import('./mcl-curves.ts')).bn254Curve);
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
    pairing: library.functionInPieces(
      (input) => BigInt(base + pair * Math.floor(input.length / PAIR_BYTES)),
      function* (curve, input) {
        return truthWord(yield* curve.isProductOfEncodedOne(input, countParts(input, PAIR_BYTES)));
      },
    ),
  };
}
