import { CommanderError } from 'commander';
import { UsageError } from './errors.ts';
import type { OptionDefinition } from './option-definition.ts';
import { type Given, settleOptions } from './option-values.ts';
import type { NodeOptions, OptionKey } from './options.ts';
import { flagOf, OPTION_ENTRIES, variableOf } from './options.ts';
import { createProgram, type Program } from './program.ts';
import { nearestWord } from './suggestion.ts';
import { missingValue, SEE_HELP, shown, unknownOption } from './usage-messages.ts';

/** The process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Lets commander split the arguments. Throws {@link UsageError} for what it does not know. */
function splitArguments(program: Program, commandLine: readonly string[]): void {
  let rest: { operands: string[]; unknown: string[] };
  try {
    rest = program.command.parseOptions([...commandLine]);
  } catch (error) {
    if (error instanceof CommanderError) throw missingValue(commandLine.at(-1) ?? '');
    throw error;
  }
  const [unknown] = rest.unknown;
  if (unknown !== undefined) throw unknownOption(unknown);
  const [command = 'start', surplus] = rest.operands;
  if (command !== 'start') {
    const hint = nearestWord(command, ['start']) === undefined ? SEE_HELP : 'did you mean start?';
    throw new UsageError(`unknown command ${shown(command)}; ${hint}`);
  }
  if (surplus !== undefined) {
    throw new UsageError(`start takes options only, not ${shown(surplus)}; ${SEE_HELP}`);
  }
}

function givenAsFlag(program: Program, key: OptionKey): Given | undefined {
  const name = program.options.get(key)?.attributeName() ?? key;
  if (program.command.getOptionValueSource(name) !== 'cli') return undefined;
  const value: unknown = program.command.getOptionValue(name);
  return { texts: Array.isArray(value) ? value.map(String) : [], source: flagOf(key) };
}

function givenInEnvironment(
  environment: Environment,
  key: OptionKey,
  definition: OptionDefinition,
): Given | undefined {
  const source = variableOf(key);
  const text = environment[source];
  if (text === undefined || text === '') return undefined;
  if (definition.kind !== 'switch') return { texts: [text], source };
  if (definition.isQuestion === true || text === 'false' || text === '0') return undefined;
  if (text === 'true' || text === '1') return { texts: [], source };
  throw new UsageError(`${source} takes true or false, not ${shown(text)}; for example ${source}=true`);
}

/**
 * Every option's value from the arguments (without interpreter and script), the environment where no flag is given,
 * and the defaults. With `--help` or `--version` the rest is not judged. Throws {@link UsageError}.
 */
export function readOptions(commandLine: readonly string[], environment: Environment): NodeOptions {
  const program = createProgram();
  splitArguments(program, commandLine);
  const asksQuestion =
    givenAsFlag(program, 'help') !== undefined || givenAsFlag(program, 'version') !== undefined;
  const given = new Map<OptionKey, Given>();
  for (const [key, definition] of OPTION_ENTRIES) {
    const isJudged = !asksQuestion || (definition.kind === 'switch' && definition.isQuestion === true);
    const found = isJudged
      ? (givenAsFlag(program, key) ?? givenInEnvironment(environment, key, definition))
      : undefined;
    if (found !== undefined) given.set(key, found);
  }
  return settleOptions(given);
}
