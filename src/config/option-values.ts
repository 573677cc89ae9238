import { changedRuleSet, type RuleChange, type RuleSetName } from '../protocol/hardforks/registry.ts';
import { UsageError } from './errors.ts';
import { valueFault } from './option-checks.ts';
import type { ImpliedOptions, ListOption, ValueOption } from './option-definition.ts';
import { flagOf, type NodeOptions, OPTION_ENTRIES, OPTIONS, type OptionKey } from './options.ts';
import { badValue, conflictText, missingCompanion, type NameOf } from './usage-messages.ts';
import type { ValueForm } from './value-form.ts';

/** A given option: its texts, and its flag, variable or key for errors. */
export interface OptionInput {
  readonly texts: readonly string[];
  readonly source: string;
}

function parse(source: string, form: ValueForm<unknown>, text: string): unknown {
  const value = form.parse(text);
  if (value === undefined) throw badValue(source, form, text);
  return value;
}

function settle(
  definition: ValueOption | ListOption,
  key: OptionKey,
  given: OptionInput | undefined,
  implied: string | undefined,
): unknown {
  const source = given?.source ?? flagOf(key);
  if (definition.kind === 'list') {
    const { isWhole = false } = definition;
    const texts = (given?.texts ?? []).flatMap((text) => (isWhole ? [text] : text.split(',')));
    return texts.map((text) => parse(source, definition.form, text.trim()));
  }
  const text = given?.texts.at(-1) ?? implied ?? definition.default;
  return text === null ? null : parse(source, definition.form, text);
}

function impliedByValue({ implies }: ValueOption, text: string): ImpliedOptions | undefined {
  return typeof implies === 'function' ? implies(text) : implies?.[text];
}

/**
 * Returns the implied options. Decisive switches take precedence, then options with a value, then other switches.
 * Among values, the first in the table wins: for example, the limits of `--chain` win over the limits of the hardfork.
 */
function impliedBy(given: ReadonlyMap<string, OptionInput>): ImpliedOptions {
  const bySwitch = new Map<string, string>();
  const byValue = new Map<string, string>();
  const decided = new Map<string, string>();
  for (const [key, definition] of OPTION_ENTRIES) {
    const found = given.get(key);
    if (found === undefined || definition.kind === 'list') continue;
    const isSwitch = definition.kind === 'switch';
    const implied = isSwitch ? definition.implies : impliedByValue(definition, found.texts.at(-1) ?? '');
    const into = !isSwitch ? byValue : definition.isDecisive === true ? decided : bySwitch;
    for (const [other, text] of Object.entries(implied ?? {}))
      if (isSwitch || !into.has(other)) into.set(other, text);
  }
  return Object.fromEntries([...bySwitch, ...byValue, ...decided]);
}

function checkRelations(
  given: ReadonlyMap<string, OptionInput>,
  nameOf: NameOf,
  takes: (key: string) => boolean,
): void {
  for (const [key, definition] of OPTION_ENTRIES) {
    const source = given.get(key)?.source;
    if (source === undefined) continue;
    const { conflicts = [], conflictReasons, needs = [], needsOneOf = [] } = definition;
    for (const other of conflicts) {
      const otherSource = given.get(other)?.source;
      if (otherSource !== undefined)
        throw new UsageError(conflictText(source, otherSource, conflictReasons?.[other]));
    }
    for (const other of needs) {
      if (takes(other) && !given.has(other)) throw missingCompanion(source, [other], nameOf);
    }
    const [first, ...rest] = needsOneOf.filter(takes);
    if (first !== undefined && ![first, ...rest].some((other) => given.has(other)))
      throw missingCompanion(source, [first, ...rest], nameOf);
  }
}

/** The options that change the rules of the hardfork, in the order of their changes. */
export const RULE_CHANGE_KEYS = ['rskip', 'withEip'] as const;

/**
 * Returns the given options with the changes of `--rskip` and `--with-eip` in the name of the hardfork. Limits and
 * checks then follow the changed rules. Throws a `UsageError` if the changes do not fit.
 */
function withRuleChanges(
  given: ReadonlyMap<OptionKey, OptionInput>,
  nameOf: NameOf,
): ReadonlyMap<OptionKey, OptionInput> {
  const hardfork = given.get('hardfork');
  let changedOptions = given;
  for (const key of RULE_CHANGE_KEYS) {
    const input = given.get(key);
    if (input === undefined) continue;
    const before = changedOptions.get('hardfork');
    const name = settle(OPTIONS.hardfork, 'hardfork', before, undefined) as RuleSetName;
    const changes = settle(OPTIONS[key], key, input, undefined) as readonly RuleChange[];
    const changed = changedRuleSet(name, changes);
    if ('fault' in changed) throw new UsageError(`${input.source}: ${changed.fault}`);
    const source = hardfork?.source ?? nameOf('hardfork');
    changedOptions = new Map(changedOptions).set('hardfork', { texts: [changed.name], source });
  }
  return changedOptions;
}

/**
 * Returns the value of every option: given, implied or default. `nameOf` returns names for errors. Options
 * are not required if `takes` returns false for them. Throws `UsageError` for invalid values and conflicts.
 */
export function settleOptions(
  given: ReadonlyMap<OptionKey, OptionInput>,
  nameOf: NameOf = flagOf,
  takes: (key: string) => boolean = () => true,
): NodeOptions {
  checkRelations(given, nameOf, takes);
  const changed = withRuleChanges(given, nameOf);
  const implied = impliedBy(changed);
  const values: Record<string, unknown> = {};
  for (const [key, definition] of OPTION_ENTRIES) {
    values[key] =
      definition.kind === 'switch' ? given.has(key) : settle(definition, key, changed.get(key), implied[key]);
  }
  values.given = new Set([...given.keys(), ...Object.keys(implied)]);
  // The types of the table imply NodeOptions, but TypeScript cannot infer it through a loop over the keys.
  const options = values as NodeOptions;
  const fault = valueFault({ options, given, nameOf });
  if (fault !== undefined) throw new UsageError(fault);
  return options;
}
