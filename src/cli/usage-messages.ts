import { UsageError } from './errors.ts';
import { flagOf, OPTION_ENTRIES } from './options.ts';
import { nearestWord } from './suggestion.ts';
import type { ValueForm } from './value-form.ts';

const LONGEST_SHOWN = 60;

/** Ends the messages that have nothing nearer to suggest. */
export const SEE_HELP = 'node-cli --help lists all options';

/** What the user wrote, in quotes, without anything that a terminal would obey, and not too long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** An option with its value as it is written where `source` is: a flag, or a variable. */
export function written(source: string, value: string): string {
  return source.startsWith('--') ? `${source} ${value}` : `${source}=${value}`;
}

/** The error for a value that is not of the option's form. */
export function badValue(source: string, form: ValueForm<unknown>, text: string): UsageError {
  const nearest = nearestWord(text, form.choices);
  const suggestion =
    nearest === undefined
      ? `for example ${written(source, form.example)}`
      : `did you mean ${written(source, nearest)}?`;
  return new UsageError(
    `${source} takes ${form.allowed}, not ${form.isSecret ? 'what was given' : shown(text)}; ${suggestion}`,
  );
}

/** The error for an argument that looks like an option and is none. */
export function unknownOption(argument: string): UsageError {
  const [flag = argument] = argument.split('=');
  const known = OPTION_ENTRIES.find(([key]) => flagOf(key) === flag);
  if (known !== undefined) return new UsageError(`${flag} takes no value; write ${flag} alone`);
  const nearest = nearestWord(
    flag,
    OPTION_ENTRIES.map(([key]) => flagOf(key)),
  );
  const meant = OPTION_ENTRIES.find(([key]) => flagOf(key) === nearest);
  const name = shown(flag).slice(1, -1);
  if (meant === undefined) return new UsageError(`unknown option ${name}; ${SEE_HELP}`);
  const [key, definition] = meant;
  const value =
    definition.kind === 'switch'
      ? ' (takes no value)'
      : ` ${definition.form.placeholder} (takes ${definition.form.allowed})`;
  return new UsageError(`unknown option ${name}; did you mean ${flagOf(key)}${value}?`);
}

/** The error for an option at the end of the line that should be followed by its value. */
export function missingValue(lastArgument: string): UsageError {
  const short = lastArgument.startsWith('--') ? undefined : lastArgument.at(-1);
  const found = OPTION_ENTRIES.find(([key, { short: letter }]) =>
    short === undefined ? flagOf(key) === lastArgument : letter === short,
  );
  if (found === undefined || found[1].kind === 'switch')
    return new UsageError(`${lastArgument} needs a value`);
  const [key, { form }] = found;
  return new UsageError(
    `${flagOf(key)} takes ${form.allowed}; for example ${written(flagOf(key), form.example)}`,
  );
}
