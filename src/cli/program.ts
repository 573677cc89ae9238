import { Command, type CommanderError, Option } from 'commander';
import {
  COMMAND_ENTRIES,
  COMMANDS,
  type CommandGroup,
  type CommandName,
  commandsOf,
  type HelpTopic,
  isCommandGroup,
  isTopic,
  TOPIC_NAMES,
} from '../config/commands.ts';
import { UsageError } from '../config/errors.ts';
import type { OptionDefinition } from '../config/option-definition.ts';
import { flagsFor, OPTION_ENTRIES, type OptionKey } from '../config/options.ts';
import { NEEDLESS_FLAGS, quoted } from '../config/usage-messages.ts';
import { nearestWord } from '../primitives/nearest-word.ts';
import { flagsOf, optionTopic, withPlaceholder } from './help.ts';

const SEE_COMMANDS = 'npx node-cli help lists all commands and topics';

/** The commander program, and its options by our keys: one commander option for each long flag. */
export interface Program {
  readonly command: Command;
  readonly options: ReadonlyMap<OptionKey, readonly Option[]>;
  /** The parsed long flags. Commander keeps one value for `--artifacts` and `--no-artifacts`: the last. */
  readonly read: ReadonlySet<string>;
}

/** Returns the option of one flag. Values stay strings. The option table checks values of all sources. */
function optionOf(flags: string, definition: OptionDefinition): Option {
  const option = new Option(flags);
  if (definition.kind === 'switch') return option;
  // The earlier value of a bare flag is `true`.
  return option.argParser((text: string, earlier: readonly string[] | true | undefined) =>
    Array.isArray(earlier) ? [...earlier, text] : [text],
  );
}

/** Returns a filter for options that the words may contain. A word of short flags may mean all of them. */
function mentionedIn(words: readonly string[]): (key: OptionKey, definition: OptionDefinition) => boolean {
  const named = new Set(words.map((word) => word.split('=', 1)[0]));
  const hasLetters = words.some((word) => /^-[^-]/.test(word));
  return (key, definition) =>
    (hasLetters && definition.short !== undefined) ||
    flagsFor([key, definition]).some((flag) => named.has(flag));
}

/**
 * Returns a program with the flags of all commands. With `words`, it has only the options that the words may
 * contain, because all options would take a third of the start time.
 */
export function createProgram(words: readonly string[] | null = null): Program {
  const isWanted = words === null ? () => true : mentionedIn(words);
  const command = new Command('node-cli');
  const options = new Map<OptionKey, readonly Option[]>();
  const read = new Set<string>();
  command.helpOption(false).helpCommand(false).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  for (const [key, definition] of OPTION_ENTRIES) {
    if (!isWanted(key, definition)) continue;
    const [, ...others] = flagsFor([key, definition]);
    const own = optionOf(flagsOf(key, definition), definition);
    const aliases = others.map((flag) => optionOf(withPlaceholder(flag, definition), definition));
    options.set(key, [own, ...aliases]);
    for (const option of [own, ...aliases]) {
      command.addOption(option);
      command.on(`option:${option.name()}`, () => read.add(option.long ?? ''));
    }
  }
  for (const flag of Object.keys(NEEDLESS_FLAGS)) command.addOption(new Option(flag));
  return { command, options, read };
}

/** A command and its operands. */
export interface FoundCommand {
  readonly name: CommandName;
  readonly operands: readonly string[];
  /** The subject of help: a command, a group of commands, or a topic. */
  readonly topic: HelpTopic;
}

function exampleOf(name: CommandName): string {
  return `npx node-cli ${COMMANDS[name].examples[0]?.[0] ?? name}`;
}

/** Returns the error for an unknown command. `mayBeTopic` is set if topics and options were allowed, too. */
function unknownCommand(word: string, known: readonly string[], mayBeTopic = false): UsageError {
  const meant = word === 'node' ? 'start' : nearestWord(word, known);
  const hint = meant === undefined ? SEE_COMMANDS : `did you mean ${meant}?`;
  return new UsageError(`unknown command ${mayBeTopic ? 'or topic ' : ''}${quoted(word)}; ${hint}`);
}

/** Returns the error for an invalid second word of a command. */
function wrongSecondWord(first: CommandGroup, second: string | undefined): UsageError {
  const names = commandsOf(first).map(([name]) => name);
  const fault =
    second === undefined ? `${first}: missing command` : `unknown command ${quoted(`${first} ${second}`)}`;
  return new UsageError(`${fault}; expected ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}`);
}

/** Returns the error for missing or surplus operands. */
function wrongOperands(name: CommandName, given: readonly string[], { code }: CommanderError): UsageError {
  const wanted: readonly string[] = COMMANDS[name].operands;
  if (code === 'commander.missingArgument')
    return new UsageError(
      `${name}: missing ${wanted[given.length] ?? wanted.join(' ')}; for example ${exampleOf(name)}`,
    );
  const surplus = quoted(given[wanted.length] ?? '');
  const expected =
    wanted.length === 0 ? 'only options' : `only ${wanted.join(' ')}, for example ${exampleOf(name)}`;
  return new UsageError(`${name}: unexpected argument ${surplus}; expected ${expected}`);
}

/** Commands whose later operands belong to a program or to a call. These may be empty. */
const WITH_OWN_ARGUMENTS: ReadonlySet<CommandName> = new Set(['exec', 'trace']);

/** Throws {@link UsageError} for an empty operand. */
function checkNotEmpty({ name, operands }: Pick<FoundCommand, 'name' | 'operands'>): void {
  const checked = WITH_OWN_ARGUMENTS.has(name) ? operands.slice(0, 1) : operands;
  const index = checked.indexOf('');
  if (index === -1) return;
  const wanted: readonly string[] = COMMANDS[name].operands;
  throw new UsageError(
    `${name}: expected ${wanted[index] ?? wanted.at(-1)}, got an empty argument; for example ${exampleOf(name)}`,
  );
}

/** Adds the commands to the program. `choose` receives the parsed one. Errors are {@link UsageError}s. */
function addCommands(
  program: Command,
  entries: typeof COMMAND_ENTRIES,
  choose: (name: CommandName, operands: readonly string[]) => void,
): void {
  const groups = new Map<string, Command>();
  const groupOf = (first: CommandGroup): Command => {
    const known = groups.get(first);
    if (known !== undefined) return known;
    const group = program.command(first).helpOption(false).helpCommand(false);
    group.exitOverride(() => {
      throw wrongSecondWord(first, group.args[0]);
    });
    groups.set(first, group);
    return group;
  };
  for (const [name, { operands }] of entries) {
    const [first = name, second] = name.split(' ');
    const parent = isCommandGroup(first) ? groupOf(first) : program;
    const command = parent.command(second ?? first).helpOption(false);
    command.exitOverride((error) => {
      throw wrongOperands(name, command.args, error);
    });
    for (const operand of operands) command.argument(name === 'help' ? '[words...]' : operand);
    command.action(() => choose(name, command.args));
  }
  program.action(() => choose('start', []));
  program.exitOverride(() => {
    throw unknownCommand(program.args[0] ?? '', firstWords(program));
  });
}

function firstWords(program: Command): string[] {
  return program.commands.map((command) => command.name());
}

/** Returns the subject of help for the words. Throws {@link UsageError} if it is not in `known`. */
function topicOf(program: Command, [first, second]: readonly string[], known: readonly string[]): HelpTopic {
  if (first === undefined) return 'start';
  const command = program.commands.find((candidate) => candidate.name() === first);
  if (command === undefined) {
    const mayBeTopic = known.some(isTopic);
    const option = mayBeTopic ? optionTopic(first) : undefined;
    if (option === undefined) throw unknownCommand(first, known, mayBeTopic);
    return option;
  }
  if (!isCommandGroup(first)) return first as CommandName;
  if (second === undefined) return first;
  if (!command.commands.some((candidate) => candidate.name() === second))
    throw wrongSecondWord(first, second);
  return `${first} ${second}` as CommandName;
}

/**
 * Returns the commands to add for these words. Fewer commands start faster. Help and suggestions need all of
 * them.
 */
function commandsFor([first]: readonly string[]): typeof COMMAND_ENTRIES {
  if (first === undefined) return [];
  const named = COMMAND_ENTRIES.filter(([name]) => name.split(' ', 1)[0] === first);
  return first === 'help' || named.length === 0 ? COMMAND_ENTRIES : named;
}

/**
 * Returns the command of the arguments without options. Throws {@link UsageError} for an unknown command and,
 * unless help is requested, for missing or surplus operands.
 */
export function findCommand(program: Command, words: readonly string[], asksQuestion: boolean): FoundCommand {
  let found: FoundCommand | undefined;
  addCommands(program, asksQuestion ? COMMAND_ENTRIES : commandsFor(words), (name, operands) => {
    found = { name, operands, topic: name };
  });
  if (asksQuestion)
    return { name: 'start', operands: [], topic: topicOf(program, words, firstWords(program)) };
  // Arguments after `--` are never options, even if they start with a dash.
  program.parse(['--', ...words], { from: 'user' });
  if (found === undefined) throw new Error('commander ran no command');
  checkNotEmpty(found);
  if (found.name !== 'help') return found;
  const [about = ''] = found.operands;
  const known = [...firstWords(program), ...TOPIC_NAMES];
  return { ...found, topic: isTopic(about) ? about : topicOf(program, found.operands, known) };
}
