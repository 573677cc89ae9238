import { networkUpgradesOf } from '../../../protocol/hardforks/network-upgrades.ts';
import type { NetworkContractGas } from '../../../protocol/hardforks/precompile-gas.ts';
import type { PrecompiledFunction } from '../precompiled-contract.ts';
import { blockHeaderContract } from './block-header.ts';
import { bridgeFunction } from './bridge-function.ts';
import { environmentContract } from './environment.ts';
import { hdWalletUtilsContract } from './hd-wallet-utils.ts';
import { remascContract } from './remasc.ts';
import { secp256k1Contracts } from './secp256k1-points.ts';

/** The contracts that only the network has, by their names in `networkContracts`, on the chain with that id. */
export function networkFunctions(
  gas: NetworkContractGas,
  chainId: number,
): ReadonlyMap<string, PrecompiledFunction> {
  const secp256k1 = secp256k1Contracts(gas);
  return new Map([
    ['BRIDGE', bridgeFunction(networkUpgradesOf(chainId))],
    ['REMASC', remascContract()],
    ['HD_WALLET_UTILS', hdWalletUtilsContract(gas.hdWalletUtils)],
    ['BLOCK_HEADER', blockHeaderContract(gas.blockHeader)],
    ['ENVIRONMENT', environmentContract()],
    ['SECP256K1_ADD', secp256k1.add],
    ['SECP256K1_MUL', secp256k1.multiply],
  ]);
}
