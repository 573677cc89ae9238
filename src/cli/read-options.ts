import { CommanderError } from 'commander';
import { type CommandName, type HelpTopic, meantOption, takesOption } from '../config/commands.ts';
import { printable, UsageError } from '../config/errors.ts';
import type { OptionDefinition } from '../config/option-definition.ts';
import { type Given, settleOptions } from '../config/option-values.ts';
import {
  type Environment,
  flagOf,
  type NodeOptions,
  OPTION_ENTRIES,
  OPTIONS,
  type OptionKey,
  VARIABLE_PREFIX,
  variablesFor,
} from '../config/options.ts';
import {
  givenTwice,
  missingValue,
  optionForValue,
  optionNamed,
  optionOfOthers,
  quoted,
  unknownOption,
  valueOfLetter,
} from '../config/usage-messages.ts';
import { nearestWord } from '../primitives/nearest-word.ts';
import { createProgram, findCommand, type Program } from './program.ts';

/** Throws {@link UsageError} for an option that commander would take for the value of the one before it. */
function checkValues(commandLine: readonly string[]): void {
  const end = commandLine.indexOf('--');
  const words = end === -1 ? commandLine : commandLine.slice(0, end);
  for (let index = 0; index + 1 < words.length; index++) {
    const [word = '', next = ''] = words.slice(index);
    const found = word.includes('=') ? undefined : optionNamed(word);
    if (found === undefined || found[1].kind === 'switch') continue;
    const [key, definition] = found;
    const isNextOption = optionNamed(next) !== undefined;
    if (isNextOption && definition.kind === 'value' && definition.bare !== undefined) continue;
    if (isNextOption) throw optionForValue([key, definition], next);
    index++;
  }
}

/**
 * Returns the arguments with `--` before the command that `exec` runs: what follows its first word belongs to it, options too,
 * as with `npx` and `env`. A word behind an option that can be without a value is its value only where `--` follows.
 */
function withCommandApart(commandLine: readonly string[]): readonly string[] {
  if (commandLine[0] !== 'exec') return commandLine;
  let index = 1;
  for (
    let word = commandLine[index];
    word?.startsWith('-') === true && word !== '--';
    word = commandLine[index]
  ) {
    const definition = word.includes('=') ? undefined : optionNamed(word)?.[1];
    const hasValue = definition !== undefined && definition.kind !== 'switch';
    const mayBeBare = definition?.kind === 'value' && definition.bare !== undefined;
    index += hasValue && (!mayBeBare || commandLine[index + 2] === '--') ? 2 : 1;
  }
  if (commandLine[index] === '--' || index >= commandLine.length) return commandLine;
  return [...commandLine.slice(0, index), '--', ...commandLine.slice(index)];
}

/** Lets commander read the options; returns the other arguments. Throws {@link UsageError} for an unknown option. */
function splitArguments(program: Program, commandLine: readonly string[]): string[] {
  checkValues(commandLine);
  let rest: { operands: string[]; unknown: string[] };
  try {
    rest = program.command.parseOptions([...commandLine]);
  } catch (error) {
    if (error instanceof CommanderError) throw missingValue(commandLine.at(-1) ?? '');
    throw error;
  }
  const [unknown] = rest.unknown;
  if (unknown?.startsWith('-=')) {
    const ending = unknown.slice(1);
    throw valueOfLetter(commandLine.find((word) => /^-[^-]/.test(word) && word.endsWith(ending)));
  }
  if (unknown !== undefined) throw unknownOption(unknown);
  for (const flag of program.read) {
    const opposite = flag.replace('--', '--no-');
    if (program.read.has(opposite))
      throw new UsageError(`${flag} cannot be used with ${opposite}; leave one of them out`);
  }
  return rest.operands;
}

/**
 * Returns the option as its flag, or the flag of a peer, gives it. Throws {@link UsageError} for one value that is given by
 * two flags.
 */
function givenAsFlag(
  { command, options }: Program,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): Given | undefined {
  const found = new Map<string, Given>();
  for (const option of options.get(key) ?? []) {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    // Commander has one value for --config and --no-config: the one that was written last.
    const isOfThisFlag = option.negate === (value === false);
    if (command.getOptionValueSource(name) !== 'cli' || found.has(name) || !isOfThisFlag) continue;
    const bare = definition.kind === 'value' && definition.bare !== undefined ? [definition.bare] : [];
    found.set(name, {
      texts: Array.isArray(value) ? value.map(String) : bare,
      source: option.long ?? flagOf(key),
    });
  }
  const [first, second] = found.values();
  if (first === undefined || second === undefined) return first;
  if (definition.kind === 'value') throw givenTwice(first.source, second.source);
  return { texts: [...found.values()].flatMap(({ texts }) => texts), source: first.source };
}

/** Returns the option as its variable, or one named as a peer's flag, gives it. Throws {@link UsageError} for two of them. */
function givenInEnvironment(
  environment: Environment,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): Given | null | undefined {
  const sources = variablesFor([key, definition]).filter((name) => (environment[name] ?? '') !== '');
  const [source, second] = sources;
  if (source === undefined || (definition.kind === 'switch' && definition.isQuestion === true))
    return undefined;
  if (second !== undefined) throw givenTwice(source, second);
  const text = environment[source] ?? '';
  if (definition.kind !== 'switch') return { texts: [text], source };
  if (text === 'false' || text === '0') return null;
  if (text === 'true' || text === '1') return { texts: [], source };
  throw new UsageError(`${source} takes true or false, not ${quoted(text)}; for example ${source}=true`);
}

/** Returns true if the environment may give an option. Windows has no case in names of variables. */
function hasVariables(environment: Environment): boolean {
  return Object.keys(environment).some((name) => name.toUpperCase().startsWith(VARIABLE_PREFIX));
}

/** Returns a line about variables that are named like options and are none; `null` where there are no such. */
export function misspeltVariables(environment: Environment): string | null {
  const written = Object.keys(environment).filter((name) => name.startsWith(VARIABLE_PREFIX));
  if (written.length === 0) return null;
  const known = OPTION_ENTRIES.flatMap(variablesFor);
  const unknown = written.filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const names = unknown.map((name) => {
    const nearest = nearestWord(
      name.slice(VARIABLE_PREFIX.length),
      known.map((variable) => variable.slice(VARIABLE_PREFIX.length)),
    );
    const hint = nearest === undefined ? '' : ` (did you mean ${VARIABLE_PREFIX}${nearest}?)`;
    return `${printable(name)}${hint}`;
  });
  return `${names.join(', ')} ${names.length === 1 ? 'is no option and sets' : 'are no options and set'} nothing`;
}

/** A command as it is written, with the options of the command line and of the environment. */
export interface GivenCommandLine {
  readonly command: CommandName;
  /** The arguments that are no options. */
  readonly operands: readonly string[];
  /** The subject of a question about the program: the command, a group of commands, or a topic. */
  readonly topic: HelpTopic;
  /** True when it asks about the program. */
  readonly asksQuestion: boolean;
  /** The given options by key; `null` for a switch that the environment turns off. */
  readonly given: ReadonlyMap<OptionKey, Given | null>;
}

/** A command with its operands and options. */
export interface CommandLine extends Pick<GivenCommandLine, 'command' | 'operands' | 'topic'> {
  readonly options: NodeOptions;
}

/** Returns the option as it is given. Throws {@link UsageError} for a flag that the command does not take; variables may be for another. */
function givenTo(
  command: CommandName,
  program: Program,
  environment: Environment | null,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): Given | null | undefined {
  const flag = givenAsFlag(program, [key, definition]);
  if (takesOption(command, meantOption(command, key)))
    return flag ?? (environment === null ? undefined : givenInEnvironment(environment, [key, definition]));
  if (flag === undefined) return undefined;
  throw optionOfOthers(command, flag.source);
}

/**
 * Returns the command, and the options of the arguments (without interpreter and script), or of the environment where no
 * flag is given. With `--help` or `--version` the rest is not checked. Throws {@link UsageError}.
 */
export function splitCommandLine(asWritten: readonly string[], environment: Environment): GivenCommandLine {
  const commandLine = withCommandApart(asWritten);
  const program = createProgram('all', commandLine);
  const words = splitArguments(program, commandLine);
  const asksQuestion =
    givenAsFlag(program, ['help', OPTIONS.help]) !== undefined ||
    givenAsFlag(program, ['version', OPTIONS.version]) !== undefined;
  const { name: command, operands, topic } = findCommand(program.command, words, asksQuestion);
  const given = new Map<OptionKey, Given | null>();
  // Looking for each of some two hundred names would take a millisecond, and seldom is one there.
  const variables = hasVariables(environment) ? environment : null;
  for (const entry of OPTION_ENTRIES) {
    const [key, definition] = entry;
    const isJudged = !asksQuestion || (definition.kind === 'switch' && definition.isQuestion === true);
    const found = isJudged ? givenTo(command, program, variables, entry) : undefined;
    if (found === undefined) continue;
    const meant = meantOption(command, key);
    if (given.has(meant))
      throw givenTwice(given.get(meant)?.source ?? flagOf(meant), found?.source ?? flagOf(key));
    given.set(meant, found);
  }
  return { command, operands, topic, asksQuestion, given };
}

function isOption(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

/**
 * Returns the command with every option's value: the given one, or else that of the file of options if the command takes it,
 * or the default. Throws {@link UsageError}.
 */
export function settleCommandLine(
  { command, operands, topic, given }: GivenCommandLine,
  fromFile: ReadonlyMap<OptionKey, Given> = new Map(),
): CommandLine {
  const takes = (key: string): boolean => isOption(key) && takesOption(command, key);
  const settled = new Map<OptionKey, Given>();
  for (const [key] of OPTION_ENTRIES) {
    const own = given.get(key);
    const found = own === undefined && takes(key) ? fromFile.get(key) : own;
    if (found !== undefined && found !== null) settled.set(key, found);
  }
  return { command, operands, topic, options: settleOptions(settled, flagOf, takes) };
}
