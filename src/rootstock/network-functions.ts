// The native contracts that only the network has.

import {
  LazyLibrary,
  type PrecompiledFunction,
  PrecompileError,
  readyFunction,
  slicePadded,
} from '../evm/precompiles/precompiled-contract.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { NetworkContractGas, NetworkContractName } from '../protocol/hardforks/precompiles.ts';
import { type NetworkUpgrade, networkUpgradesOf } from '../protocol/hardforks/rootstock.ts';
import { blockHeaderContract } from './block-header.ts';
import { hdWalletUtilsContract } from './hd-wallet-utils.ts';
import { nativeContract, nativeMethod } from './native-contract.ts';

/**
 * Returns the contract Environment (RSKIP-203). `getCallStackDepth` returns the depth of the call; it is 1 both for a
 * call from a transaction and for one from the contract that a transaction calls.
 */
function environmentContract(): PrecompiledFunction {
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

/**
 * Returns the contract REMASC (RSKIP-15) as code and transactions can call it: it works only for the transaction that
 * ends a block, which no engine executes, and refuses all other callers, free of charge.
 */
function remascContract(): PrecompiledFunction {
  return readyFunction({
    gas: () => 0n,
    run: () => {
      throw new PrecompileError('only the last transaction of a block can call it');
    },
  });
}

function onCurve(compute: () => Uint8Array): Uint8Array {
  try {
    return compute().slice();
  } catch {
    // The curve throws only for a point that is not on it.
    throw new PrecompileError('the point is not on the curve');
  }
}

/**
 * Returns the sum of two points of secp256k1, and the product of a point and a number (RSKIP-516). Points are encoded
 * as in EIP-196: input that is too short is padded with zeros, excess input is ignored.
 */
function secp256k1Contracts(
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

/**
 * Returns the Bridge to the parent chain (RSKIP-88 and later) with these upgrades. It is loaded when it is first
 * called.
 */
function bridgeFunction(upgrades: ReadonlySet<NetworkUpgrade>): PrecompiledFunction {
  const library = new LazyLibrary(() => import('./bridge/bridge-contract.ts'));
  return {
    gas: (input, context) => library.get().bridgeGas(input, context, upgrades),
    run: (input, context) => library.get().runBridge(input, context, upgrades),
    prepare: (input, context) => library.get().prepareBridge(input, context, upgrades),
    get isReady() {
      return library.isReady;
    },
    load: () => library.load(),
  };
}

/** Returns the contracts that only the network has, by their names in `networkContracts`, on the chain with that id. */
export function networkFunctions(
  gas: NetworkContractGas,
  chainId: number,
): Readonly<Record<NetworkContractName, PrecompiledFunction>> {
  const secp256k1 = secp256k1Contracts(gas);
  return {
    BRIDGE: bridgeFunction(networkUpgradesOf(chainId)),
    REMASC: remascContract(),
    HD_WALLET_UTILS: hdWalletUtilsContract(gas.hdWalletUtils),
    BLOCK_HEADER: blockHeaderContract(gas.blockHeader),
    ENVIRONMENT: environmentContract(),
    SECP256K1_ADD: secp256k1.add,
    SECP256K1_MUL: secp256k1.multiply,
  };
}
