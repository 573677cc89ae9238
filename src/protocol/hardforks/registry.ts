/** The rule sets by name. To add a rule set, add a file to this folder and an entry here. */

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

/** The rule sets for chains: Rootstock, Ethereum's hardforks (oldest first), previews. */
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
 * Rule sets only for tests. The public state tests of these hardforks verify the gas and the call rules that
 * Rootstock shares with them.
 */
const HISTORIC_RULE_SETS = { constantinople: CONSTANTINOPLE, petersburg: PETERSBURG } as const;

export type RuleSetName = keyof typeof CHAIN_RULE_SETS;

/** A rule set for chains, or one for tests. */
export type KnownRuleSetName = RuleSetName | keyof typeof HISTORIC_RULE_SETS;

const RULE_SETS: Readonly<Record<KnownRuleSetName, RuleSet>> = { ...CHAIN_RULE_SETS, ...HISTORIC_RULE_SETS };

export const RULE_SET_NAMES = Object.keys(CHAIN_RULE_SETS) as readonly RuleSetName[];
export const HISTORIC_RULE_SET_NAMES = Object.keys(HISTORIC_RULE_SETS) as readonly KnownRuleSetName[];

/** The default rule set of a chain. */
export const DEFAULT_RULE_SET_NAME = 'rootstock' satisfies RuleSetName;

/** Ethereum's newest final hardfork. */
export const NEWEST_RULE_SET_NAME: RuleSetName =
  RULE_SET_NAMES.findLast((name) => RULE_SETS[name].preview === null) ?? DEFAULT_RULE_SET_NAME;

/** The previews of hardforks that are not final. */
export const PREVIEW_RULE_SET_NAMES: readonly RuleSetName[] = RULE_SET_NAMES.filter(
  (name) => RULE_SETS[name].preview !== null,
);

export function ruleSetNamed(name: KnownRuleSetName): RuleSet {
  return RULE_SETS[name];
}
