import { UsageError } from './errors.ts';
import type { ListOption, ValueOption } from './option-definition.ts';
import type { NodeOptions, OptionKey } from './options.ts';
import { flagOf, OPTION_ENTRIES } from './options.ts';
import { badValue } from './usage-messages.ts';
import type { ValueForm } from './value-form.ts';

/** An option as the user gave it: the texts, and the flag or variable that a message should name. */
export interface Given {
  readonly texts: readonly string[];
  readonly source: string;
}

function parse(source: string, form: ValueForm<unknown>, text: string): unknown {
  const value = form.parse(text);
  if (value === undefined) throw badValue(source, form, text);
  return value;
}

function settle(definition: ValueOption | ListOption, key: OptionKey, given: Given | undefined): unknown {
  const source = given?.source ?? flagOf(key);
  if (definition.kind === 'list') {
    const texts = (given?.texts ?? []).flatMap((text) => text.split(','));
    return texts.map((text) => parse(source, definition.form, text.trim()));
  }
  const text = given?.texts.at(-1) ?? definition.default;
  return text === null ? null : parse(source, definition.form, text);
}

function checkRelations(given: ReadonlyMap<string, Given>): void {
  for (const [key, { conflicts = [], needs = [] }] of OPTION_ENTRIES) {
    const source = given.get(key)?.source;
    if (source === undefined) continue;
    for (const other of conflicts) {
      const otherSource = given.get(other)?.source;
      if (otherSource !== undefined) {
        throw new UsageError(`${source} cannot be used with ${otherSource}; leave one of them out`);
      }
    }
    for (const other of needs) {
      if (given.has(other)) continue;
      const needed = OPTION_ENTRIES.find(([candidate]) => candidate === other)?.[1];
      const example = needed === undefined || needed.kind === 'switch' ? '' : ` ${needed.form.example}`;
      throw new UsageError(
        `${source} needs ${flagOf(other)}; for example ${source} ${flagOf(other)}${example}`,
      );
    }
  }
}

/**
 * The value of every option: what is given, or else its default. Throws `UsageError` for values that are not of their
 * form and for options that contradict each other.
 */
export function settleOptions(given: ReadonlyMap<OptionKey, Given>): NodeOptions {
  checkRelations(given);
  const values: Record<string, unknown> = {};
  for (const [key, definition] of OPTION_ENTRIES) {
    values[key] = definition.kind === 'switch' ? given.has(key) : settle(definition, key, given.get(key));
  }
  // The table's types make NodeOptions; TypeScript cannot follow them through a loop over its keys.
  return values as NodeOptions;
}

/** The options of a user who gave none. */
export function defaultOptions(): NodeOptions {
  return settleOptions(new Map());
}
