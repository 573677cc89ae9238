import { PrecompileError } from '../errors.ts';
import { type PrecompiledFunction, readyFunction } from '../precompiled-contract.ts';

/**
 * The contract REMASC (RSKIP-15) as code and transactions meet it: it works for the transaction that ends a block, which
 * no engine runs, and refuses everybody else, free of charge.
 */
export function remascContract(): PrecompiledFunction {
  return readyFunction({
    gas: () => 0n,
    run: () => {
      throw new PrecompileError('REMASC works at the end of a block only');
    },
  });
}
