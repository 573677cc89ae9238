import { type Common, createCustomCommon, Mainnet } from '@ethereumjs/common';
import { type HardforkName, RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { blockHardforksOf, engineKzg } from '../../src/reference/rule-set-common.ts';
import { CHAIN_ID } from './arbitraries.ts';

/** The rule sets of Ethereum's hardforks. */
export type EthereumRuleSetName = Exclude<HardforkName, 'rootstock' | 'rootstock-next'>;

export const ETHEREUM_RULE_SETS: readonly EthereumRuleSetName[] = RULE_SET_NAMES.filter(
  (name): name is EthereumRuleSetName => ruleSetNamed(name).encoding === 'ethereum',
);

/** The rule set as settings of the reference library. */
export function referenceCommon(name: EthereumRuleSetName): Common {
  return createCustomCommon({ chainId: CHAIN_ID, ...blockHardforksOf(ruleSetNamed(name)) }, Mainnet, {
    hardfork: name,
    customCrypto: { kzg: engineKzg },
  });
}
