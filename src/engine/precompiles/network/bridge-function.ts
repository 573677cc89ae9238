import { LazyLibrary } from '../lazy-library.ts';
import type { PrecompiledFunction } from '../precompiled-contract.ts';

/** The Bridge to the parent chain (RSKIP-88 and later). It is loaded when somebody first calls it. */
export function bridgeFunction(): PrecompiledFunction {
  const library = new LazyLibrary(() => import('./bridge/bridge-contract.ts'));
  return {
    gas: (input, context) => library.get().bridgeGas(input, context),
    run: (input, context) => library.get().runBridge(input, context),
    get isReady() {
      return library.isReady;
    },
    load: () => library.load(),
  };
}
