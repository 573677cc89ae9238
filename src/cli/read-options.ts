import { CommanderError } from 'commander';
import {
  ALL_OPTIONS,
  type CommandName,
  type HelpTopic,
  type OptionTopic,
  suggestedOption,
  takesOption,
} from '../config/commands.ts';
import { printable, UsageError } from '../config/errors.ts';
import { withoutGanacheFlag } from '../config/ganache-flags.ts';
import type { OptionDefinition } from '../config/option-definition.ts';
import { type OptionInput, settleOptions } from '../config/option-values.ts';
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
  missingValue,
  optionForValue,
  optionNamed,
  optionOfOthers,
  quoted,
  repeatedOption,
  unknownOption,
  type ValuedEntry,
  valueOfLetter,
} from '../config/usage-messages.ts';
import { nearestWord } from '../primitives/nearest-word.ts';
import { optionTopic } from './help.ts';
import { createProgram, findCommand, type Program } from './program.ts';

/** Returns the option whose value is the next word, for a long flag or short flags such as `-qp`. */
function awaitingValue(written: string): ValuedEntry | undefined {
  const word = withoutGanacheFlag(written);
  if (word.includes('=')) return undefined;
  const flags = /^-[^-]/.test(word) ? Array.from(word.slice(1), (letter) => `-${letter}`) : [word];
  const entries = flags.map(optionNamed);
  const index = entries.findIndex((entry) => entry !== undefined && entry[1].kind !== 'switch');
  const found = entries[index];
  // A short flag can contain its value: -p8545.
  if (found === undefined || found[1].kind === 'switch' || index < flags.length - 1) return undefined;
  return [found[0], found[1]];
}

/** Throws {@link UsageError} if commander would parse an option, or `--`, as the value of an option. */
function checkValues(commandLine: readonly string[]): void {
  for (let index = 0; index + 1 < commandLine.length; index++) {
    const [word = '', next = ''] = commandLine.slice(index);
    if (word === '--') return;
    const found = awaitingValue(word);
    if (found === undefined) continue;
    const [, definition] = found;
    const mayBeBare = definition.kind === 'value' && definition.bare !== undefined;
    const isNextOption = optionNamed(next) !== undefined;
    if ((isNextOption || next === '--') && mayBeBare) continue;
    if (isNextOption) throw optionForValue(found, next);
    if (next === '--') throw missingValue(word);
    index++;
  }
}

/**
 * Returns the index after the options from `index` on. An option with an optional value takes the next word
 * only if options and `--` follow it.
 */
function endOfOptions(words: readonly string[], index: number): number {
  const word = words[index];
  if (word === undefined || word === '--' || !word.startsWith('-')) return index;
  const definition = awaitingValue(word)?.[1];
  const next = words[index + 1];
  if (definition === undefined || next === '--') return endOfOptions(words, index + 1);
  const mayBeBare = definition.kind === 'value' && definition.bare !== undefined;
  if (!mayBeBare) return endOfOptions(words, index + 2);
  const end = next?.startsWith('-') === true ? words.length : endOfOptions(words, index + 2);
  return words[end] === '--' ? end : endOfOptions(words, index + 1);
}

/**
 * Inserts `--` before the command of `exec`. All later words belong to the command, including options, as
 * with `npx`.
 */
function withCommandApart(commandLine: readonly string[]): readonly string[] {
  if (commandLine[0] !== 'exec') return commandLine;
  const end = endOfOptions(commandLine, 1);
  if (commandLine[end] === '--' || end >= commandLine.length) return commandLine;
  return [...commandLine.slice(0, end), '--', ...commandLine.slice(end)];
}

/** Further addresses after one --fund-accounts, as in Anvil. The form of the option checks them. */
const FUNDED = /^0x/i;

/** Replaces flags of Ganache by own flags, and joins the values of `--fund-accounts A:5 B:6`. */
function withOwnFlags(commandLine: readonly string[]): readonly string[] {
  const words: string[] = [];
  const left = [...commandLine];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') return [...words, word, ...left];
    const found = awaitingValue(word);
    const own = withoutGanacheFlag(word);
    words.push(own);
    const [next] = left;
    if (found === undefined || next === undefined || next.startsWith('-')) continue;
    const isFunding = found[0] === 'fundAccounts';
    const count = isFunding ? left.findIndex((other, index) => index > 0 && !FUNDED.test(other)) : 1;
    words.push(left.splice(0, count === -1 ? left.length : count).join(','));
  }
  return words;
}

/** Parses the options and returns the other arguments. Throws {@link UsageError} for an unknown option. */
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
      throw new UsageError(`${flag} cannot be used with ${opposite}; remove one of them`);
  }
  return rest.operands;
}

/**
 * Returns the option as set by its own flag or by flags of peers. Throws {@link UsageError} if two flags set
 * a single value.
 */
function givenAsFlag(
  { command, options }: Program,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): OptionInput | undefined {
  const found = new Map<string, OptionInput>();
  for (const option of options.get(key) ?? []) {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    // Commander has one value for --config and --no-config: the last one.
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
  if (definition.kind === 'value') throw repeatedOption(first.source, second.source);
  return { texts: [...found.values()].flatMap(({ texts }) => texts), source: first.source };
}

/** Returns the option as set by its variables. Throws {@link UsageError} if two variables set it. */
function givenInEnvironment(
  environment: Environment,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): OptionInput | null | undefined {
  const sources = variablesFor([key, definition]).filter((name) => (environment[name] ?? '') !== '');
  const [source, second] = sources;
  if (source === undefined || (definition.kind === 'switch' && definition.isQuestion === true))
    return undefined;
  if (second !== undefined) throw repeatedOption(source, second);
  const text = environment[source] ?? '';
  if (definition.kind !== 'switch') return { texts: [text], source };
  if (text === 'false' || text === '0') return null;
  if (text === 'true' || text === '1') return { texts: [], source };
  throw new UsageError(`${source}: expected true or false, got ${quoted(text)}`);
}

/** True if the environment may set an option. On Windows, variable names ignore case. */
function hasVariables(environment: Environment): boolean {
  return Object.keys(environment).some((name) => name.toUpperCase().startsWith(VARIABLE_PREFIX));
}

/** Returns a warning about unknown variables with the prefix of node-cli; null if there are none. */
export function misspelledVariables(environment: Environment): string | null {
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
  return `unknown ${names.length === 1 ? 'variable' : 'variables'} ${names.join(', ')}; node-cli ignores ${names.length === 1 ? 'it' : 'them'}`;
}

/** A command with the options of the command line and of the environment, as written. */
export interface CommandLineOptions {
  readonly command: CommandName;
  /** The arguments that are not options. */
  readonly operands: readonly string[];
  /** The subject of help: a command, a group of commands, or a topic. */
  readonly topic: HelpTopic;
  /** True for `--help` and `--version`. */
  readonly asksQuestion: boolean;
  /** The given options by key; `null` for a switch that the environment turns off. */
  readonly given: ReadonlyMap<OptionKey, OptionInput | null>;
}

export interface CommandLine extends Pick<CommandLineOptions, 'command' | 'operands' | 'topic'> {
  readonly options: NodeOptions;
}

/** Returns the given option. Throws {@link UsageError} for a flag, but not a variable, of other commands. */
function givenTo(
  command: CommandName,
  program: Program,
  environment: Environment | null,
  [key, definition]: readonly [OptionKey, OptionDefinition],
): OptionInput | null | undefined {
  const flag = givenAsFlag(program, [key, definition]);
  if (takesOption(command, suggestedOption(command, key)))
    return flag ?? (environment === null ? undefined : givenInEnvironment(environment, [key, definition]));
  if (flag === undefined) return undefined;
  throw optionOfOthers(command, flag.source, takesOption(command, 'url'));
}

/**
 * Returns the option of `help --lanes`, or all options for `help --all` and `--help --all`; null for other
 * command lines. Throws {@link UsageError} for an unknown option.
 */
function askedOption([first = '', second = '', surplus]: readonly string[]): OptionTopic | null {
  const isAll = second === ALL_OPTIONS && ['help', '--help', '-h'].includes(first);
  if (!isAll && (first !== 'help' || !second.startsWith('-'))) return null;
  const topic = optionTopic(withoutGanacheFlag(second));
  if (topic === '--help' || topic === '--version') return null;
  if (topic === undefined) throw unknownOption(second);
  if (surplus !== undefined) throw new UsageError(`help: unexpected argument ${quoted(surplus)}; remove it`);
  return topic;
}

/**
 * Returns the command with the options of the arguments (without interpreter and script), else of the
 * environment. With `--help` or `--version`, other options are not checked. Throws {@link UsageError}.
 */
export function splitCommandLine(asWritten: readonly string[], environment: Environment): CommandLineOptions {
  const asked = askedOption(asWritten);
  if (asked !== null)
    return { command: 'help', operands: [], topic: asked, asksQuestion: false, given: new Map() };
  const commandLine = withOwnFlags(withCommandApart(asWritten));
  const program = createProgram(commandLine);
  const words = splitArguments(program, commandLine);
  const asksQuestion =
    givenAsFlag(program, ['help', OPTIONS.help]) !== undefined ||
    givenAsFlag(program, ['version', OPTIONS.version]) !== undefined;
  const { name: command, operands, topic } = findCommand(program.command, words, asksQuestion);
  const given = new Map<OptionKey, OptionInput | null>();
  // Skips the search for some two hundred names if no variable has the prefix.
  const variables = hasVariables(environment) ? environment : null;
  for (const entry of OPTION_ENTRIES) {
    const [key, definition] = entry;
    const isJudged = !asksQuestion || (definition.kind === 'switch' && definition.isQuestion === true);
    const found = isJudged ? givenTo(command, program, variables, entry) : undefined;
    if (found === undefined) continue;
    const meant = suggestedOption(command, key);
    if (given.has(meant))
      throw repeatedOption(given.get(meant)?.source ?? flagOf(meant), found?.source ?? flagOf(key));
    given.set(meant, found);
  }
  return { command, operands, topic, asksQuestion, given };
}

function isOption(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

/**
 * Returns the command with the values of all options: the given value, else the value of the configuration
 * file, else the default. The file sets only options that the command takes. Throws {@link UsageError}.
 */
export function settleCommandLine(
  { command, operands, topic, given }: CommandLineOptions,
  fromFile: ReadonlyMap<OptionKey, OptionInput> = new Map(),
): CommandLine {
  const takes = (key: string): boolean => isOption(key) && takesOption(command, key);
  const settled = new Map<OptionKey, OptionInput>();
  for (const [key] of OPTION_ENTRIES) {
    const own = given.get(key);
    const found = own === undefined && takes(key) ? fromFile.get(key) : own;
    if (found !== undefined && found !== null) settled.set(key, found);
  }
  return { command, operands, topic, options: settleOptions(settled, flagOf, takes) };
}
