import {
  type PrecompiledFunction,
  PrecompileError,
  readyFunction,
} from '../evm/precompiles/precompiled-contract.ts';

/**
 * Creates the precompile REMASC (RSKIP-15) for contracts and transactions. It works only for the last
 * transaction of a block, which no engine executes. All other calls fail and are free.
 */
export function remascContract(): PrecompiledFunction {
  return readyFunction({
    gas: () => 0n,
    run: () => {
      throw new PrecompileError('only the last transaction of a block can call it');
    },
  });
}
