// The rule sets by name, and the proposals that can be added to them. To add a rule set, add a file to this
// folder and an entry here.

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
import { ROOTSTOCK_DRAFTS } from './rootstock-drafts.ts';
import { ROOTSTOCK_NEXT } from './rootstock-next.ts';
import type { Preview, RuleSet } from './rule-set.ts';
import { SHANGHAI } from './shanghai.ts';
import { SINGLE_EIPS } from './single-eips.ts';
import { ruleKey, ruleTitle, type SingleRule, withRules } from './single-rule.ts';

/** The rule sets: Rootstock, Ethereum's hardforks (oldest first), previews. */
const RULE_SETS = {
  rootstock: ROOTSTOCK,
  'rootstock-next': ROOTSTOCK_NEXT,
  constantinople: CONSTANTINOPLE,
  petersburg: PETERSBURG,
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
} as const satisfies Readonly<Record<string, RuleSet>>;

export type HardforkName = keyof typeof RULE_SETS;

/**
 * The name of a rule set: a hardfork, and the proposals that were added (`+`) or removed (`-`). The proposals are in
 * the order of {@link SINGLE_RULES}. Examples: `rootstock+rskip692`, `rootstock-next-rskip555`, `prague+eip7951`.
 */
export type RuleSetName = HardforkName | `${HardforkName}${'+' | '-'}${string}`;

export const RULE_SET_NAMES = Object.keys(RULE_SETS) as readonly HardforkName[];

/** The default rule set of a chain. */
export const DEFAULT_RULE_SET_NAME = 'rootstock' satisfies RuleSetName;

/** Ethereum's newest final hardfork. */
export const NEWEST_RULE_SET_NAME: RuleSetName =
  RULE_SET_NAMES.findLast((name) => RULE_SETS[name].preview === null) ?? DEFAULT_RULE_SET_NAME;

/** The previews of hardforks that are not final. */
export const PREVIEW_RULE_SET_NAMES: readonly HardforkName[] = RULE_SET_NAMES.filter(
  (name) => RULE_SETS[name].preview !== null,
);

/** The proposals that can be added to rule sets. A proposal follows the proposals that it requires. */
export const SINGLE_RULES: readonly SingleRule[] = [...ROOTSTOCK_DRAFTS, ...SINGLE_EIPS];

/** The hardforks that consist of another one and of single rules. */
const COMPOSITIONS: Partial<
  Readonly<Record<HardforkName, { readonly base: HardforkName; readonly rules: readonly SingleRule[] }>>
> = { 'rootstock-next': { base: 'rootstock', rules: ROOTSTOCK_DRAFTS } };

function compositionOf(name: HardforkName): {
  readonly base: HardforkName;
  readonly rules: readonly SingleRule[];
} {
  return COMPOSITIONS[name] ?? { base: name, rules: [] };
}

/** A proposal to add to a rule set, or to remove from it. */
export interface RuleChange {
  readonly rule: SingleRule;
  readonly isOn: boolean;
}

/** A name that was split into its hardfork and its changes. */
interface NameParts {
  readonly hardfork: HardforkName;
  readonly changes: readonly RuleChange[];
}

const CHANGE = /([+-])((?:eip|rskip)\d+)$/;

/** Splits a name. Returns `undefined` if it has an unknown hardfork or proposal. */
function partsOf(name: string): NameParts | undefined {
  const changes: RuleChange[] = [];
  let rest = name;
  for (let found = CHANGE.exec(rest); found !== null; found = CHANGE.exec(rest)) {
    const [all, sign, key] = found;
    const rule = SINGLE_RULES.find((each) => ruleKey(each) === key);
    const isOn = sign === '+';
    // A hardfork's own EIPs cannot be removed.
    if (rule === undefined || (rule.kind === 'EIP' && !isOn)) return undefined;
    changes.unshift({ rule, isOn });
    rest = rest.slice(0, -all.length);
  }
  const hardfork = RULE_SET_NAMES.find((known) => known === rest);
  return hardfork === undefined ? undefined : { hardfork, changes };
}

/** Returns the proposals of a hardfork after the changes. Of several changes of a proposal, the last one counts. */
function rulesAfter({ hardfork, changes }: NameParts): readonly SingleRule[] {
  const rules = new Set(compositionOf(hardfork).rules);
  for (const { rule, isOn } of changes) {
    if (isOn) rules.add(rule);
    else rules.delete(rule);
  }
  return SINGLE_RULES.filter((rule) => rules.has(rule));
}

/** Returns true if the proposal can be added to the hardfork, or belongs to it. */
function canHave({ encoding, isIn }: SingleRule, hardfork: HardforkName): boolean {
  const ruleSet = RULE_SETS[hardfork];
  return ruleSet.encoding === encoding && isIn?.(ruleSet) !== true;
}

/** Returns the reason why the proposals do not fit together; `null` if they do. */
function faultOf(hardfork: HardforkName, rules: readonly SingleRule[]): string | null {
  let ruleSet: RuleSet = RULE_SETS[compositionOf(hardfork).base];
  const added: SingleRule[] = [];
  for (const rule of rules) {
    const title = ruleTitle(rule);
    if (rule.isIn?.(ruleSet) === true) return `${title} is already part of ${hardfork}; remove it`;
    for (const number of rule.requires) {
      const isRequired = (each: SingleRule): boolean => each.kind === rule.kind && each.number === number;
      const isHere = added.some(isRequired) || isPartOf(SINGLE_RULES.find(isRequired), number, ruleSet);
      if (isHere) continue;
      return `${title} requires ${ruleTitle({ kind: rule.kind, number })}; ${adviceFor(rule, number)}`;
    }
    ruleSet = rule.add(ruleSet);
    added.push(rule);
  }
  return null;
}

/** EIPs that cannot be added, but are required. Each returns true if the rule set contains it. */
const HARDFORK_EIPS: Readonly<Record<number, (ruleSet: RuleSet) => boolean>> = {
  1559: ({ fees }) => fees.name === 'base fee',
  2200: ({ gas: { storage } }) => storage.scheme === 'net' && storage.sentry > 0,
};

function isPartOf(rule: SingleRule | undefined, number: number, ruleSet: RuleSet): boolean {
  return (rule?.isIn ?? HARDFORK_EIPS[number])?.(ruleSet) === true;
}

function adviceFor({ kind, number }: SingleRule, required: number): string {
  const title = ruleTitle({ kind, number: required });
  if (kind !== 'EIP') return `switch ${title} on, or ${ruleTitle({ kind, number })} off`;
  return required in HARDFORK_EIPS ? 'use a newer hardfork' : `add ${title}, or use a newer hardfork`;
}

/** The result of {@link changedRuleSet}: a name, or the reason why the changes are invalid. */
export type ChangedRuleSet = { readonly name: RuleSetName } | { readonly fault: string };

/** Returns the name of the rule set with more proposals added or removed. */
export function changedRuleSet(name: RuleSetName, added: readonly RuleChange[]): ChangedRuleSet {
  const { hardfork, changes } = partsOf(name) ?? { hardfork: DEFAULT_RULE_SET_NAME, changes: [] };
  const rules = rulesAfter({ hardfork, changes: [...changes, ...added] });
  const foreign = rules.find(
    ({ encoding }) => encoding !== null && encoding !== RULE_SETS[hardfork].encoding,
  );
  if (foreign !== undefined) {
    const fitting = RULE_SET_NAMES.filter((each) => canHave(foreign, each)).join(', ');
    const others = fitting.replace(/, (?=[^,]*$)/, ' or ');
    return { fault: `${ruleTitle(foreign)} cannot be added to ${hardfork}; use --hardfork ${others}` };
  }
  const fault = faultOf(hardfork, rules);
  if (fault !== null) return { fault };
  const own = compositionOf(hardfork).rules;
  const signs = SINGLE_RULES.flatMap((rule) => {
    const isIn = rules.includes(rule);
    return isIn === own.includes(rule) ? [] : [`${isIn ? '+' : '-'}${ruleKey(rule)}`];
  });
  return { name: `${hardfork}${signs.join('')}` as RuleSetName };
}

/**
 * Returns the name of a rule set with its proposals in order. Returns `undefined` for an unknown name, or if the
 * proposals do not fit together.
 */
export function ruleSetNameOf(text: string): RuleSetName | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const changed = changedRuleSet(parts.hardfork, parts.changes);
  return 'name' in changed ? changed.name : undefined;
}

function previewOf(all: readonly SingleRule[], hardfork: HardforkName): Preview | null {
  const { preview } = RULE_SETS[hardfork];
  // Single EIPs are no preview of a hardfork.
  const rules = all.filter(({ kind }) => kind !== 'EIP');
  const [first] = rules;
  if (first === undefined) return COMPOSITIONS[hardfork] === undefined ? preview : null;
  const added = Object.fromEntries(rules.map(({ number, change }) => [number, change]));
  if (preview === null) return { kind: first.kind, included: added, leftOut: {}, elsewhere: {} };
  return {
    ...preview,
    included: COMPOSITIONS[hardfork] === undefined ? { ...preview.included, ...added } : added,
  };
}

function composed(name: RuleSetName): RuleSet {
  const parts = partsOf(name);
  if (parts === undefined)
    throw new RangeError(`unknown rule set: expected one of ${RULE_SET_NAMES.join(', ')}, got ${name}`);
  const rules = rulesAfter(parts);
  const base = RULE_SETS[compositionOf(parts.hardfork).base];
  return { ...withRules(base, rules), name, preview: previewOf(rules, parts.hardfork) };
}

/** The composed rule sets by name, because engines and caches compare rule sets by identity. */
const composedRuleSets = new Map<RuleSetName, RuleSet>();

/** Returns the rule set. Throws a `RangeError` for an unknown name. */
export function ruleSetNamed(name: RuleSetName): RuleSet {
  if (name in RULE_SETS) return RULE_SETS[name as HardforkName];
  const known = composedRuleSets.get(name) ?? composed(name);
  composedRuleSets.set(name, known);
  return known;
}
