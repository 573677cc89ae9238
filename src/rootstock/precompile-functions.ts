// The precompiles that only Rootstock has.

import {
  LazyLibrary,
  type PrecompiledFunction,
  PrecompileError,
  readyFunction,
  slicePadded,
} from '../evm/precompiles/precompiled-contract.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { RootstockPrecompileGas, RootstockPrecompileName } from '../protocol/hardforks/precompiles.ts';
import { type FederationFormat, rootstockUpgradesOf } from '../protocol/hardforks/rootstock.ts';
import type { PrecompileRules } from '../protocol/hardforks/rule-set.ts';
import type { BridgeSettings } from './bridge/bridge-contract.ts';
import { remascContract } from './remasc-contract.ts';

function onCurve(compute: () => Uint8Array): Uint8Array {
  try {
    return compute().slice();
  } catch {
    // The curve throws only for a point that is not on it.
    throw new PrecompileError('the point is not on the curve');
  }
}

/**
 * Creates the precompiles for the sum of two secp256k1 points, and the product of a point and a number
 * (RSKIP-516). Points are encoded as in EIP-196: short input is padded with zeros, and excess input is
 * ignored.
 */
function secp256k1Contracts(
  price: Pick<RootstockPrecompileGas, 'secp256k1Add' | 'secp256k1Multiply'>,
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

/** Creates the Bridge (RSKIP-88 and later) of a chain with these settings, loaded on the first call. */
function bridgeFunction(settings: BridgeSettings): PrecompiledFunction {
  const library = new LazyLibrary(() => import('./bridge/bridge-contract.ts'));
  return {
    gas: (input, context) => library.get().bridgeGas(input, context, settings),
    run: (input, context) => library.get().runBridge(input, context, settings),
    prepare: (input, context) => library.get().prepareBridge(input, context, settings),
    get isReady() {
      return library.isReady;
    },
    load: () => library.load(),
  };
}

/** Creates a precompile that is loaded on the first call. */
function lazyFunction(create: () => Promise<PrecompiledFunction>): PrecompiledFunction {
  const library = new LazyLibrary(create);
  return {
    gas: (input, context) => library.get().gas(input, context),
    run: (input, context) => library.get().run(input, context),
    get isReady() {
      return library.isReady;
    },
    load: () => library.load(),
  };
}

/**
 * Creates the Rootstock-only precompiles of a chain, by their names in `rootstockPrecompiles`. `federation` is
 * the script format of a local network's federation.
 */
export function precompileFunctions(
  { gas: { network: gas }, freeCalls, pegUpgrades }: PrecompileRules,
  chainId: number,
  federation: FederationFormat = 'legacy',
): Readonly<Record<RootstockPrecompileName, PrecompiledFunction>> {
  const secp256k1 = secp256k1Contracts(gas);
  const upgrades = new Set([...rootstockUpgradesOf(chainId), ...pegUpgrades]);
  return {
    BRIDGE: bridgeFunction({ chainId, upgrades, federation, freeCalls }),
    REMASC: remascContract(),
    HD_WALLET_UTILS: lazyFunction(async () =>
      (await import('./hd-wallet-utils.ts')).hdWalletUtilsContract(gas.hdWalletUtils),
    ),
    BLOCK_HEADER: lazyFunction(async () =>
      (await import('./block-header.ts')).blockHeaderContract(gas.blockHeader),
    ),
    ENVIRONMENT: lazyFunction(async () => (await import('./environment-contract.ts')).environmentContract()),
    SECP256K1_ADD: secp256k1.add,
    SECP256K1_MUL: secp256k1.multiply,
  };
}
