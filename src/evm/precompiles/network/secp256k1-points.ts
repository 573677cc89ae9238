import { curve } from '../../../primitives/secp256k1/curve.ts';
import type { NetworkContractGas } from '../../../protocol/hardforks/precompile-gas.ts';
import { PrecompileError } from '../errors.ts';
import { slicePadded } from '../input.ts';
import { type PrecompiledFunction, readyFunction } from '../precompiled-contract.ts';

function onCurve(compute: () => Uint8Array): Uint8Array {
  try {
    return compute().slice();
  } catch {
    // The curve throws for one thing alone: a point that is not on it.
    throw new PrecompileError('The point is not on the curve');
  }
}

/**
 * The sum of two points of secp256k1, and the product of a point and a number (RSKIP-516). Points are written as in
 * EIP-196: input that is too short is filled up with zeros, what is too much does not count.
 */
export function secp256k1Contracts(
  price: Pick<NetworkContractGas, 'secp256k1Add' | 'secp256k1Multiply'>,
): Record<'add' | 'multiply', PrecompiledFunction> {
  return {
    add: readyFunction({
      gas: () => BigInt(price.secp256k1Add),
      run: (input) => onCurve(() => curve.addPoints(slicePadded(input, 0, 64), slicePadded(input, 64, 64))),
    }),
    multiply: readyFunction({
      gas: () => BigInt(price.secp256k1Multiply),
      run: (input) =>
        onCurve(() => curve.multiplyPoint(slicePadded(input, 0, 64), slicePadded(input, 64, 32))),
    }),
  };
}
