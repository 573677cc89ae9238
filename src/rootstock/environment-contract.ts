import type { PrecompiledFunction } from '../evm/precompiles/precompiled-contract.ts';
import { precompileMethod, rootstockPrecompile } from './rootstock-precompile.ts';

/**
 * Creates the precompile Environment (RSKIP-203). `getCallStackDepth` returns the depth of the call, at least 1. Calls
 * by a transaction and by the outermost contract both have depth 1.
 */
export function environmentContract(): PrecompiledFunction {
  return rootstockPrecompile(() => [
    precompileMethod({
      name: 'getCallStackDepth',
      inputs: [],
      output: 'uint32',
      gas: () => 0,
      run: (_, { depth }) => BigInt(Math.max(1, depth)),
    }),
  ]);
}
