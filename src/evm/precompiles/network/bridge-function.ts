import type { NetworkUpgrade } from '../../../protocol/hardforks/network-upgrades.ts';
import { LazyLibrary } from '../lazy-library.ts';
import type { PrecompiledFunction } from '../precompiled-contract.ts';

/** The Bridge to the parent chain (RSKIP-88 and later) with these upgrades. It is loaded when it is first called. */
export function bridgeFunction(upgrades: ReadonlySet<NetworkUpgrade>): PrecompiledFunction {
  const library = new LazyLibrary(() => import('./bridge/bridge-contract.ts'));
  return {
    gas: (input, context) => library.get().bridgeGas(input, context, upgrades),
    run: (input, context) => library.get().runBridge(input, context, upgrades),
    get isReady() {
      return library.isReady;
    },
    load: () => library.load(),
  };
}
