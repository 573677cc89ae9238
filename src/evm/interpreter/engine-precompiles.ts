import { keyOf } from '../../primitives/hex.ts';
import type { PrecompileGas } from '../../protocol/hardforks/precompile-gas.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { ImpersonatedSigner } from '../impersonated-signer.ts';
import type { PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import { PrecompiledContracts } from '../precompiles/precompiled-contracts.ts';

/** The precompiles of a rule set on the chain with that id, by address as `keyOf` spells it. ECRECOVER asks first who is set as the signer. */
export function enginePrecompiles(
  ruleSet: RuleSet,
  gas: PrecompileGas,
  chainId: number,
  signerOf: ImpersonatedSigner | undefined,
): ReadonlyMap<string, PrecompiledContract> {
  const contracts = new PrecompiledContracts(ruleSet, gas, chainId, signerOf).all();
  return new Map(contracts.map((contract) => [keyOf(contract.address), contract]));
}
