import { keyOf } from '../../primitives/hex.ts';
import type { PrecompileGas } from '../../rules/precompile-gas.ts';
import type { RuleSet } from '../../rules/rule-set.ts';
import { type ImpersonatedSigner, impersonatedRecovery } from '../impersonated-signer.ts';
import type { PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import { PrecompiledContracts } from '../precompiles/precompiled-contracts.ts';

/** The precompiles of a rule set, by address as `keyOf` spells it. ECRECOVER asks first who is set as the signer. */
export function enginePrecompiles(
  ruleSet: RuleSet,
  gas: PrecompileGas,
  signerOf: ImpersonatedSigner | undefined,
): ReadonlyMap<string, PrecompiledContract> {
  const contracts = new PrecompiledContracts(ruleSet, gas).all();
  return new Map(
    contracts.map((contract) => [
      keyOf(contract.address),
      contract.name === 'ECREC' && signerOf !== undefined ? impersonating(contract, signerOf) : contract,
    ]),
  );
}

function impersonating(ecrecover: PrecompiledContract, signerOf: ImpersonatedSigner): PrecompiledContract {
  const { name, address, isReady } = ecrecover;
  return {
    name,
    address,
    isReady,
    load: () => ecrecover.load(),
    gas: (input) => ecrecover.gas(input),
    run: (input) => impersonatedRecovery(input, signerOf) ?? ecrecover.run(input),
  };
}
