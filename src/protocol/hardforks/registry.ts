/** The rule sets by name. A new one is a file beside this one and an entry here. */

import { AMSTERDAM } from './amsterdam.ts';
import { BERLIN } from './berlin.ts';
import { BPO1, BPO2 } from './bpo.ts';
import { CANCUN } from './cancun.ts';
import { CONSTANTINOPLE } from './constantinople.ts';
import { ISTANBUL } from './istanbul.ts';
import { LONDON } from './london.ts';
import { OSAKA } from './osaka.ts';
import { PARIS } from './paris.ts';
import { PETERSBURG } from './petersburg.ts';
import { PRAGUE } from './prague.ts';
import { ROOTSTOCK } from './rootstock.ts';
import type { RuleSet } from './rule-set.ts';
import { SHANGHAI } from './shanghai.ts';

/** The rule sets that a chain can have: the network's own, then Ethereum's hardforks, the newest last. Those with a preview come behind the final ones. */
const CHAIN_RULE_SETS = {
  rootstock: ROOTSTOCK,
  istanbul: ISTANBUL,
  berlin: BERLIN,
  london: LONDON,
  paris: PARIS,
  shanghai: SHANGHAI,
  cancun: CANCUN,
  prague: PRAGUE,
  osaka: OSAKA,
  bpo1: BPO1,
  bpo2: BPO2,
  amsterdam: AMSTERDAM,
} as const;

/**
 * Rule sets that no chain is offered: the public state tests of these hardforks check the gas and the calls that the
 * network shares with them.
 */
const HISTORIC_RULE_SETS = { constantinople: CONSTANTINOPLE, petersburg: PETERSBURG } as const;

export type RuleSetName = keyof typeof CHAIN_RULE_SETS;

/** A rule set that a chain can have, or one for tests alone. */
export type KnownRuleSetName = RuleSetName | keyof typeof HISTORIC_RULE_SETS;

const RULE_SETS: Readonly<Record<KnownRuleSetName, RuleSet>> = { ...CHAIN_RULE_SETS, ...HISTORIC_RULE_SETS };

export const RULE_SET_NAMES = Object.keys(CHAIN_RULE_SETS) as readonly RuleSetName[];
export const HISTORIC_RULE_SET_NAMES = Object.keys(HISTORIC_RULE_SETS) as readonly KnownRuleSetName[];

/** The rule set of a chain for which none is chosen: the network's own. */
export const DEFAULT_RULE_SET_NAME = 'rootstock' satisfies RuleSetName;

/** The newest of Ethereum's hardforks that is final. */
export const NEWEST_RULE_SET_NAME: RuleSetName =
  RULE_SET_NAMES.findLast((name) => RULE_SETS[name].preview === null) ?? DEFAULT_RULE_SET_NAME;

/** The hardforks that are not final, of which there is a preview. */
export const PREVIEW_RULE_SET_NAMES: readonly RuleSetName[] = RULE_SET_NAMES.filter(
  (name) => RULE_SETS[name].preview !== null,
);

/** Returns the rule set of that name. */
export function ruleSetNamed(name: KnownRuleSetName): RuleSet {
  return RULE_SETS[name];
}
