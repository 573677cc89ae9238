import type { PrecompileGas } from '../../protocol/hardforks/precompile-gas.ts';
import { G1_DISCOUNTS, G2_DISCOUNTS, sumOfProductsGas } from './bls12-381-discounts.ts';
import { PrecompileError } from './errors.ts';
import { countParts, requireLength } from './input.ts';
import type { LazyLibrary } from './lazy-library.ts';
import { withMemory } from './mcl-memory.ts';
import type { PairingCurve } from './pairing-curve.ts';
import type { PrecompiledFunction } from './precompiled-contract.ts';
import { truthWord } from './truth-word.ts';

const FIELD_BYTES = 64;
const G1_BYTES = 128;
const G2_BYTES = 256;
const SCALAR_BYTES = 32;
const G1_PRODUCT_BYTES = G1_BYTES + SCALAR_BYTES;
const G2_PRODUCT_BYTES = G2_BYTES + SCALAR_BYTES;
const PAIR_BYTES = G1_BYTES + G2_BYTES;

type Name = 'g1Add' | 'g1Msm' | 'g2Add' | 'g2Msm' | 'pairing' | 'mapToG1' | 'mapToG2';

/** How many parts of that length the input has. Refuses none: that is no sum and no product (EIP-2537). */
function countSomeParts(input: Uint8Array, length: number): number {
  if (input.length === 0) throw new PrecompileError('The input is empty');
  return countParts(input, length);
}

/** The precompiles of the curve BLS12-381 (EIP-2537). */
export function bls12381Functions(
  library: LazyLibrary<PairingCurve>,
  { bls12 }: PrecompileGas,
): Record<Name, PrecompiledFunction> {
  const { g1Add, g1Multiply, g2Add, g2Multiply, pairing, mapToG1, mapToG2 } = bls12;
  const parts = (input: Uint8Array, length: number) => Math.floor(input.length / length);
  return {
    g1Add: library.function(
      () => BigInt(g1Add),
      ({ g1 }, input) => {
        requireLength(input, 2 * G1_BYTES);
        return g1.add(input);
      },
    ),
    g1Msm: library.functionInPieces(
      (input) => sumOfProductsGas(parts(input, G1_PRODUCT_BYTES), g1Multiply, G1_DISCOUNTS),
      ({ g1 }, input) => g1.multiplyMany(input, countSomeParts(input, G1_PRODUCT_BYTES)),
    ),
    g2Add: library.function(
      () => BigInt(g2Add),
      ({ g2 }, input) => {
        requireLength(input, 2 * G2_BYTES);
        return g2.add(input);
      },
    ),
    g2Msm: library.functionInPieces(
      (input) => sumOfProductsGas(parts(input, G2_PRODUCT_BYTES), g2Multiply, G2_DISCOUNTS),
      ({ g2 }, input) => g2.multiplyMany(input, countSomeParts(input, G2_PRODUCT_BYTES)),
    ),
    pairing: library.functionInPieces(
      (input) => BigInt(pairing.base + pairing.pair * parts(input, PAIR_BYTES)),
      function* (curve, input) {
        return truthWord(yield* curve.isProductOfEncodedOne(input, countSomeParts(input, PAIR_BYTES)));
      },
    ),
    mapToG1: library.function(
      () => BigInt(mapToG1),
      ({ mcl, g1 }, input) => {
        requireLength(input, FIELD_BYTES);
        return withMemory(mcl, 2 * g1.size, (point) => {
          const field = point + g1.size;
          g1.readCoordinate(input, field);
          mcl._mclBnFp_mapToG1(point, field);
          return g1.write(point);
        });
      },
    ),
    mapToG2: library.function(
      () => BigInt(mapToG2),
      ({ mcl, g2 }, input) => {
        requireLength(input, 2 * FIELD_BYTES);
        return withMemory(mcl, 2 * g2.size, (point) => {
          const field = point + g2.size;
          g2.readCoordinate(input, field);
          mcl._mclBnFp2_mapToG2(point, field);
          return g2.write(point);
        });
      },
    ),
  };
}
