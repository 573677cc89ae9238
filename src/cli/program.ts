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

/** The command line as commander understands it, and the commander options of each of ours: one for each long flag. */
export interface Program {
  readonly command: Command;
  readonly options: ReadonlyMap<OptionKey, readonly Option[]>;
  /** The long flags that were read. Commander keeps one value for `--artifacts` and `--no-artifacts`: that of the last. */
  readonly read: ReadonlySet<string>;
}

/** Returns the option of one flag. Values stay texts here: the option table judges them, from wherever they come. */
function optionOf(flags: string, definition: OptionDefinition): Option {
  const option = new Option(flags);
  if (definition.kind === 'switch') return option;
  // The earlier value of a flag that was written without one is `true`.
  return option.argParser((text: string, earlier: readonly string[] | true | undefined) =>
    Array.isArray(earlier) ? [...earlier, text] : [text],
  );
}

/** Returns which options the words may name: those whose long flag is among them, and where letters are, all that have one. */
function mentionedIn(words: readonly string[]): (key: OptionKey, definition: OptionDefinition) => boolean {
  const named = new Set(words.map((word) => word.split('=', 1)[0]));
  const hasLetters = words.some((word) => /^-[^-]/.test(word));
  return (key, definition) =>
    (hasLetters && definition.short !== undefined) ||
    flagsFor([key, definition]).some((flag) => named.has(flag));
}

/**
 * Returns a new program that reads the flags of all commands. With `words` it has only the options that the words may name,
 * because all of them would take a third of a start. The forms of the option table check the values.
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

/** A command and what follows its words. */
export interface FoundCommand {
  readonly name: CommandName;
  readonly operands: readonly string[];
  /** The subject of a question about the program: the command, a group of commands, or a topic. */
  readonly topic: HelpTopic;
}

/** Returns the first example of a command. */
function exampleOf(name: CommandName): string {
  return `npx node-cli ${COMMANDS[name].examples[0]?.[0] ?? name}`;
}

/** Returns the error for a word that names no command. With `mayBeTopic` it names no topic and no option either. */
function unknownCommand(word: string, known: readonly string[], mayBeTopic = false): UsageError {
  const meant = word === 'node' ? 'start' : nearestWord(word, known);
  const hint = meant === undefined ? SEE_COMMANDS : `did you mean ${meant}?`;
  return new UsageError(`unknown command ${mayBeTopic ? 'or topic ' : ''}${quoted(word)}; ${hint}`);
}

/** Returns the error for a second word that makes no command with the first. */
function wrongSecondWord(first: CommandGroup, second: string | undefined): UsageError {
  const names = commandsOf(first).map(([name]) => name);
  const fault =
    second === undefined ? `${first}: missing command` : `unknown command ${quoted(`${first} ${second}`)}`;
  return new UsageError(`${fault}; expected ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}`);
}

/** Returns the error for operands of a command that commander does not take. */
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

/** Commands whose later operands belong to a program or to a call, which take empty texts. */
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

/** Adds the commands to the program; `choose` is called with the one that is parsed. Their errors are {@link UsageError}s. */
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

/** Returns the subject of help for these words. `known` are the subjects. Throws {@link UsageError} for an unknown one. */
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
 * Returns the commands among which the one that the words name is found, at a fraction of the time that all take. All are
 * needed for help, and to suggest one where none is named.
 */
function commandsFor([first]: readonly string[]): typeof COMMAND_ENTRIES {
  if (first === undefined) return [];
  const named = COMMAND_ENTRIES.filter(([name]) => name.split(' ', 1)[0] === first);
  return first === 'help' || named.length === 0 ? COMMAND_ENTRIES : named;
}

/**
 * Returns the command that the arguments without options name. Throws {@link UsageError} for an unknown one,
 * and, unless a question is asked about it, for operands that are missing or too many.
 */
export function findCommand(program: Command, words: readonly string[], asksQuestion: boolean): FoundCommand {
  let found: FoundCommand | undefined;
  addCommands(program, asksQuestion ? COMMAND_ENTRIES : commandsFor(words), (name, operands) => {
    found = { name, operands, topic: name };
  });
  if (asksQuestion)
    return { name: 'start', operands: [], topic: topicOf(program, words, firstWords(program)) };
  // Arguments after `--` are never options, even if they begin with a dash.
  program.parse(['--', ...words], { from: 'user' });
  if (found === undefined) throw new Error('commander ran no command');
  checkNotEmpty(found);
  if (found.name !== 'help') return found;
  const [about = ''] = found.operands;
  const known = [...firstWords(program), ...TOPIC_NAMES];
  return { ...found, topic: isTopic(about) ? about : topicOf(program, found.operands, known) };
}
