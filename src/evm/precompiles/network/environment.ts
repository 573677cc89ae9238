import type { PrecompiledFunction } from '../precompiled-contract.ts';
import { nativeContract, nativeMethod } from './native-contract.ts';

/**
 * The contract Environment (RSKIP-203). `getCallStackDepth` tells how deep the call stands; one from a transaction and
 * one from the contract that a transaction calls are both 1 deep.
 */
export function environmentContract(): PrecompiledFunction {
  return nativeContract(() => [
    nativeMethod({
      name: 'getCallStackDepth',
      inputs: [],
      output: 'uint32',
      gas: () => 0,
      run: (_, { depth }) => BigInt(Math.max(1, depth)),
    }),
  ]);
}
