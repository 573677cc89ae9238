import { UsageError } from './errors.ts';
import type { ImpliedOptions, ListOption, OnlyWith, RoomFor, ValueOption } from './option-definition.ts';
import { flagOf, type NodeOptions, OPTION_ENTRIES, type OptionKey } from './options.ts';
import { badValue, missingCompanion, type NameOf, optionText } from './usage-messages.ts';
import type { ValueForm } from './value-form.ts';

/** A given option: its texts, and its flag, variable or key for errors. */
export interface Given {
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
  given: Given | undefined,
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

/**
 * Returns the implied options. Options with a value take precedence over switches. Among values, the first in
 * the table wins: for example, the limits of `--chain` win over the limits of the hardfork.
 */
function impliedBy(given: ReadonlyMap<string, Given>): ImpliedOptions {
  const bySwitch = new Map<string, string>();
  const byValue = new Map<string, string>();
  for (const [key, definition] of OPTION_ENTRIES) {
    const found = given.get(key);
    if (found === undefined || definition.kind === 'list') continue;
    const isSwitch = definition.kind === 'switch';
    const implied = isSwitch ? definition.implies : definition.valueImplies?.[found.texts.at(-1) ?? ''];
    const into = isSwitch ? bySwitch : byValue;
    for (const [other, text] of Object.entries(implied ?? {}))
      if (isSwitch || !into.has(other)) into.set(other, text);
  }
  return Object.fromEntries([...bySwitch, ...byValue]);
}

/** `reason` is a clause after the other name; absent if obvious. */
function refusePair(source: string, otherSource: string, reason?: string): never {
  const why = reason === undefined ? '' : `, ${reason}`;
  throw new UsageError(`${source} cannot be used with ${otherSource}${why}; remove one of them`);
}

function checkRelations(
  given: ReadonlyMap<string, Given>,
  nameOf: NameOf,
  takes: (key: string) => boolean,
): void {
  for (const [key, definition] of OPTION_ENTRIES) {
    const source = given.get(key)?.source;
    if (source === undefined) continue;
    const { conflicts = [], conflictReasons, needs = [], needsOneOf = [] } = definition;
    for (const other of conflicts) {
      const otherSource = given.get(other)?.source;
      if (otherSource !== undefined) refusePair(source, otherSource, conflictReasons?.[other]);
    }
    for (const other of needs) {
      if (takes(other) && !given.has(other)) throw missingCompanion(source, [other], nameOf);
    }
    const [first, ...rest] = needsOneOf.filter(takes);
    if (first !== undefined && ![first, ...rest].some((other) => given.has(other)))
      throw missingCompanion(source, [first, ...rest], nameOf);
  }
}

/** The parsed options. */
interface Settled {
  readonly given: ReadonlyMap<string, Given>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly nameOf: NameOf;
}

function checkValueConflicts(
  source: string,
  definition: ValueOption,
  value: string,
  { given }: Settled,
): void {
  for (const other of definition.valueConflicts?.[value] ?? []) {
    const otherSource = given.get(other)?.source;
    if (otherSource !== undefined) refusePair(optionText(source, value), otherSource);
  }
}

function checkBound(source: string, bound: string, value: unknown, { given, values, nameOf }: Settled): void {
  const least = values[bound];
  if (typeof value !== 'bigint' || typeof least !== 'bigint' || value >= least) return;
  const boundSource = given.get(bound)?.source ?? nameOf(bound);
  throw new UsageError(`${source}: expected at least ${least} (the value of ${boundSource}), got ${value}`);
}

function checkRoom(
  source: string,
  { list, where, because }: RoomFor,
  value: unknown,
  { given, values }: Settled,
): void {
  const listed = values[list];
  const [listSource, switchSource] = [given.get(list)?.source, given.get(where)?.source];
  if (listSource === undefined || switchSource === undefined || !Array.isArray(listed)) return;
  const count = new Set(listed).size;
  if (count <= Number(value)) return;
  throw new UsageError(
    `${source}: expected at least ${count} (the number of ${listSource} values), got ${value}; with ${switchSource}, ${because}`,
  );
}

function checkOnlyWith(
  source: string,
  { option, values, otherwise }: OnlyWith,
  { given, values: settled, nameOf }: Settled,
): void {
  if (values.includes(String(settled[option]))) return;
  const name = given.get(option)?.source ?? nameOf(option);
  const allowed = values.map((value) => optionText(name, value)).join(', ');
  throw new UsageError(`${source} requires one of ${allowed}; ${otherwise}`);
}

/** Checks relations between values. */
function checkValues(settled: Settled): void {
  for (const [key, definition] of OPTION_ENTRIES) {
    if (definition.kind !== 'value') continue;
    const source = settled.given.get(key)?.source;
    const value = settled.values[key];
    if (definition.roomFor !== undefined)
      checkRoom(source ?? settled.nameOf(key), definition.roomFor, value, settled);
    if (source === undefined) continue;
    checkValueConflicts(source, definition, String(value), settled);
    if (definition.onlyWith !== undefined) checkOnlyWith(source, definition.onlyWith, settled);
    if (definition.notBelow !== undefined) checkBound(source, definition.notBelow, value, settled);
  }
}

/**
 * Returns the value of every option: given, implied or default. `nameOf` returns names for errors. Options
 * are not required if `takes` returns false for them. Throws `UsageError` for invalid values and conflicts.
 */
export function settleOptions(
  given: ReadonlyMap<OptionKey, Given>,
  nameOf: NameOf = flagOf,
  takes: (key: string) => boolean = () => true,
): NodeOptions {
  checkRelations(given, nameOf, takes);
  const implied = impliedBy(given);
  const values: Record<string, unknown> = {};
  for (const [key, definition] of OPTION_ENTRIES) {
    values[key] =
      definition.kind === 'switch' ? given.has(key) : settle(definition, key, given.get(key), implied[key]);
  }
  checkValues({ given, values, nameOf });
  values.given = new Set([...given.keys(), ...Object.keys(implied)]);
  // The types of the table imply NodeOptions, but TypeScript cannot infer it through a loop over the keys.
  return values as NodeOptions;
}
