import type { PrecompileGas } from '../../protocol/hardforks/precompiles.ts';
import { withMemory } from './mcl-module.ts';
import type { PairingCurve } from './pairing-curve.ts';
import {
  countParts,
  type LazyLibrary,
  type PrecompiledFunction,
  PrecompileError,
  requireLength,
  truthWord,
} from './precompiled-contract.ts';

/**
 * The price per product in a sum of 1 to 128 products, in thousandths of a single product (EIP-2537). Longer
 * sums use the last entry.
 */
const G1_DISCOUNTS: readonly number[] = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665, 661, 658,
  654, 651, 648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608,
  606, 604, 603, 601, 599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577,
  576, 575, 574, 573, 572, 570, 569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555,
  554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545, 544, 543, 542, 541, 540, 540, 539, 538, 537, 536,
  536, 535, 534, 533, 532, 532, 531, 530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520,
  520, 519,
];

const G2_DISCOUNTS: readonly number[] = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704, 699, 693, 688,
  683, 679, 674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620,
  618, 615, 613, 611, 609, 607, 606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583,
  582, 580, 579, 578, 576, 575, 574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558,
  557, 556, 555, 554, 553, 552, 552, 551, 550, 549, 548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540,
  539, 538, 537, 537, 536, 535, 535, 534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525,
  524, 524,
];

/** Returns the gas of a sum of products. `product` is the gas of one product. */
function sumOfProductsGas(count: number, product: number, discounts: readonly number[]): bigint {
  const discount = discounts[Math.min(count, discounts.length) - 1] ?? 0;
  return BigInt(Math.floor((count * product * discount) / 1_000));
}

const FIELD_BYTES = 64;
const G1_BYTES = 128;
const G2_BYTES = 256;
const SCALAR_BYTES = 32;
const G1_PRODUCT_BYTES = G1_BYTES + SCALAR_BYTES;
const G2_PRODUCT_BYTES = G2_BYTES + SCALAR_BYTES;
const PAIR_BYTES = G1_BYTES + G2_BYTES;

type Name = 'g1Add' | 'g1Msm' | 'g2Add' | 'g2Msm' | 'pairing' | 'mapToG1' | 'mapToG2';

/** Returns the number of parts of this length. Throws `PrecompileError` for an empty input (EIP-2537). */
function countSomeParts(input: Uint8Array, length: number): number {
  if (input.length === 0) throw new PrecompileError('the input is empty');
  return countParts(input, length);
}

/** Creates the precompiles of the curve BLS12-381 (EIP-2537). */
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
    g1Msm: library.functionInSteps(
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
    g2Msm: library.functionInSteps(
      (input) => sumOfProductsGas(parts(input, G2_PRODUCT_BYTES), g2Multiply, G2_DISCOUNTS),
      ({ g2 }, input) => g2.multiplyMany(input, countSomeParts(input, G2_PRODUCT_BYTES)),
    ),
    pairing: library.functionInSteps(
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
