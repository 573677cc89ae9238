import type {
  PrecompileContext,
  PrecompiledContract,
} from '../../../src/evm/precompiles/precompiled-contract.ts';
import { PrecompiledContracts } from '../../../src/evm/precompiles/precompiled-contracts.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { precompileFunctions } from '../../../src/rootstock/precompile-functions.ts';
import { environmentOf } from '../../reference/scene.ts';

/** A call from a transaction in block 1. */
export const CONTEXT: PrecompileContext = {
  environment: environmentOf('rootstock', { number: 1 }),
  depth: 0,
  call: () => {
    throw new Error('these contracts keep nothing');
  },
};

/** The precompiles of a rule set, at its prices. */
export function contractsOf(ruleSet: RuleSetName): PrecompiledContracts {
  return new PrecompiledContracts(ruleSetNamed(ruleSet), 33, precompileFunctions);
}

/** Returns the precompile with this name. Throws if the rule set does not have it. */
export function contractNamed(ruleSet: RuleSetName, name: string): PrecompiledContract {
  const contract = contractsOf(ruleSet)
    .all()
    .find((each) => each.name === name);
  if (!contract) throw new Error(`${ruleSet} has no precompile ${name}`);
  return contract;
}
