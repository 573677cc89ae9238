import type { ProposalKind, RuleSet } from './rule-set.ts';

/** A proposal that can be added to a rule set on its own. */
export interface SingleRule {
  readonly kind: ProposalKind;
  readonly number: number;
  /** The change, for help and error messages. */
  readonly change: string;
  /** The numbers of the proposals of the same series that this one builds on. */
  readonly requires: readonly number[];
  /** The rule sets that the proposal can be added to; `null` for all. */
  readonly encoding: RuleSet['encoding'] | null;
  /** Returns true if the rule set contains the proposal. Absent for drafts that no hardfork contains. */
  isIn?(ruleSet: RuleSet): boolean;
  /** Returns the rule set with the proposal. All required proposals are already added. */
  add(ruleSet: RuleSet): RuleSet;
}

/** Identifies a proposal in the name of a rule set, for example `rskip546`. */
export function ruleKey({ kind, number }: Pick<SingleRule, 'kind' | 'number'>): string {
  return `${kind.toLowerCase()}${number}`;
}

/** Formats a proposal for texts, for example `RSKIP-546`. */
export function ruleTitle({ kind, number }: Pick<SingleRule, 'kind' | 'number'>): string {
  return `${kind}-${number}`;
}

/**
 * Returns the base rule set with the proposals. A proposal must follow the proposals that it requires.
 */
export function withRules(base: RuleSet, rules: readonly SingleRule[]): RuleSet {
  return rules.reduce((ruleSet, rule) => rule.add(ruleSet), base);
}
