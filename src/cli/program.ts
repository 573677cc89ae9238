import { Command, type CommanderError, Option } from 'commander';
import {
  COMMAND_ENTRIES,
  COMMAND_GROUPS,
  COMMANDS,
  type CommandGroup,
  type CommandName,
  commandsOf,
  type HelpTopic,
  isCommandGroup,
  isTopic,
  ownDescription,
  TOPIC_NAMES,
  TOPICS,
  type TopicName,
  takesOption,
} from '../config/commands.ts';
import { UsageError } from '../config/errors.ts';
import { OPTION_GROUPS, type OptionDefinition } from '../config/option-definition.ts';
import { flagOf, flagsFor, OPTION_ENTRIES, type OptionKey } from '../config/options.ts';
import { NEEDLESS_FLAGS, quoted, SEE_HELP } from '../config/usage-messages.ts';
import { nearestWord } from '../primitives/nearest-word.ts';

const HELP_WIDTH = 110;
const COMMAND_WIDTH = 31;

const SEE_TOPICS = 'node-cli help lists the commands and the topics';

const INTRODUCTION =
  'A local chain for development: network and chain id 33, instant mining, JSON-RPC over HTTP and WebSocket.';

const CLOSING = `
Each option but --help and --version is an environment variable too, NODE_CLI_ and its name in capitals:
NODE_CLI_BLOCK_TIME=2 is --block-time 2, NODE_CLI_NO_MINING=true is --no-mining. A flag wins over a variable,
and a variable over the file: { "blockTime": 2, "noMining": true }.

Topics of node-cli help <topic>:
  ${TOPIC_NAMES.join(', ').replace(/(.{90,104},) /, '$1\n  ')}

Examples:
  node-cli                                   start with ten funded accounts on http://127.0.0.1:8545
  node-cli --port 0 --quiet                  pick a free port and print only where
  node-cli --block-time 2 --mixed-mining     mine each transaction at once, and a block every two seconds
  node-cli --state chain.json.gz             go on with a chain next time
  node-cli --hardfork cancun                 play an Ethereum chain with base fee and typed transactions
`;

/** Returns the words about the default of an option that follow its description in the help text. */
export function defaultOf(definition: OptionDefinition): string | null {
  if (definition.kind === 'switch') return null;
  if (definition.kind === 'list') return definition.otherwise;
  return definition.default ?? definition.otherwise ?? null;
}

function withPlaceholder(flag: string, definition: OptionDefinition): string {
  return definition.kind === 'switch' ? flag : `${flag} ${definition.form.placeholder}`;
}

/** Returns the flags of an option as they are written: `-p, --port <number>`. */
export function flagsOf(key: OptionKey, definition: OptionDefinition): string {
  const named = withPlaceholder(flagOf(key), definition);
  return definition.short === undefined ? named : `-${definition.short}, ${named}`;
}

function descriptionOf(key: OptionKey, definition: OptionDefinition): string {
  const otherwise = defaultOf(definition);
  const repeatable = definition.kind === 'list' ? '; repeatable' : '';
  const choices = definition.kind === 'switch' ? [] : definition.form.choices;
  const listed = flagsOf(key, definition).includes(choices.join('|')) ? '' : `: ${choices.join(', ')}`;
  const note = otherwise === null ? '' : ` (default: ${otherwise}${repeatable})`;
  const { aliases = [] } = definition;
  const also = aliases.length === 0 ? '' : `; also ${aliases.map((alias) => `--${alias}`).join(', ')}`;
  return `${definition.description}${listed}${also}${note}`;
}

/** The command line as commander understands it, and the commander options of each of ours: one for each long flag. */
export interface Program {
  readonly command: Command;
  readonly options: ReadonlyMap<OptionKey, readonly Option[]>;
  /** The long flags that were read. Commander keeps one value for `--artifacts` and `--no-artifacts`: that of the last. */
  readonly read: ReadonlySet<string>;
}

/** Returns the option of one flag. Values stay texts here: the option table judges them, from wherever they come. */
function optionOf(flags: string, description: string, definition: OptionDefinition): Option {
  const option = new Option(flags, description);
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

/** Returns how a command is written. Words behind the command that `exec` runs belong to that command. */
function usageOf(name: CommandName): string {
  if (name === 'start') return '[start] [options]';
  const { operands, options } = COMMANDS[name];
  const words = options === null ? ['[options]', ...operands] : [...operands, '[options]'];
  return [name, ...words].join(' ');
}

/**
 * Makes a fresh program from the option table, with the options of the command, or of all commands; with `words` only those
 * of them that the words may name, as making all of them would take a third of a start. It reads flags only; values are
 * judged by the table's forms.
 */
export function createProgram(
  about: CommandName | 'all' = 'start',
  words: readonly string[] | null = null,
): Program {
  const name = about === 'all' ? 'start' : about;
  const isWanted = words === null ? () => true : mentionedIn(words);
  const command = new Command('node-cli');
  const options = new Map<OptionKey, readonly Option[]>();
  const read = new Set<string>();
  const { description } = COMMANDS[name];
  command
    .description(name === 'start' ? INTRODUCTION : `${description}.`)
    .usage(usageOf(name))
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeErr: () => undefined,
      getOutHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
    });
  for (const group of OPTION_GROUPS) {
    for (const [key, definition] of OPTION_ENTRIES) {
      const isOfCommand = about === 'all' || takesOption(about, key);
      if (definition.group !== group || !isOfCommand || !isWanted(key, definition)) continue;
      const [, ...others] = flagsFor([key, definition]);
      const described = ownDescription(name, key) ?? descriptionOf(key, definition);
      const own = optionOf(flagsOf(key, definition), described, definition);
      const aliases = others.map((flag) =>
        optionOf(withPlaceholder(flag, definition), '', definition).hideHelp(),
      );
      options.set(key, [own.helpGroup(`${group}:`), ...aliases]);
      for (const option of [own, ...aliases]) {
        command.addOption(option);
        command.on(`option:${option.name()}`, () => read.add(option.long ?? ''));
      }
    }
  }
  if (name === 'start')
    for (const flag of Object.keys(NEEDLESS_FLAGS)) command.addOption(new Option(flag).hideHelp());
  return { command, options, read };
}

/** Returns a line for each command. */
function commandLines(entries: typeof COMMAND_ENTRIES): string {
  const lines = entries.map(
    ([name, { operands, description }]) =>
      `  ${[name, ...operands].join(' ').padEnd(COMMAND_WIDTH)}${description}\n`,
  );
  return `Commands:\n${lines.join('')}`;
}

/** Returns the text in lines that fit the width of the help, indented below the flags of an option. */
function indented(text: string): string {
  const [indent, width] = ['      ', HELP_WIDTH - 6];
  const lines = text.match(new RegExp(`.{1,${width}}(?= |$)|\\S+`, 'g')) ?? [];
  return lines.map((line) => `${indent}${line.trim()}`).join('\n');
}

/** Returns the help text of a topic that is no command: its text, and the options that belong to it. */
export async function topicText(name: TopicName): Promise<string> {
  const { HELP_TOPICS } = await import('../config/help-topics.ts');
  const { text, groups } = HELP_TOPICS[name];
  const options = OPTION_ENTRIES.filter(([, { group }]) => groups.includes(group)).map(
    ([key, definition]) => `  ${flagsOf(key, definition)}\n${indented(descriptionOf(key, definition))}\n`,
  );
  const listed = options.length === 0 ? '' : `\nOptions:\n${options.join('')}`;
  return `${TOPICS[name]}\n${text.replaceAll('`', '')}\n${listed}`;
}

/** Returns a line for each topic. */
function topicLines(): string {
  const lines = TOPIC_NAMES.map((name) => `  ${name.padEnd(COMMAND_WIDTH)}${TOPICS[name]}\n`);
  return `Topics:\n${lines.join('')}`;
}

/** Returns the help text of a command or of a group of commands; that of `start` lists all others too. */
export function helpText(topic: CommandName | CommandGroup = 'start'): string {
  if (isCommandGroup(topic)) {
    const commands = commandsOf(topic);
    const seconds = commands.map(([name]) => name.slice(topic.length + 1)).join('|');
    const usage = `Usage: node-cli ${topic} <${seconds}> [options]\n\n${COMMAND_GROUPS[topic]}.\n`;
    return `${usage}\n${commandLines(commands)}\nnode-cli ${commands[0]?.[0]} --help lists its options.\n`;
  }
  const information = createProgram(topic).command.helpInformation();
  if (topic === 'help') return `${information}\n${topicLines()}`;
  return topic === 'start' ? `${information}\n${commandLines(COMMAND_ENTRIES)}${CLOSING}` : information;
}

/** A command and what follows its words. */
export interface FoundCommand {
  readonly name: CommandName;
  readonly operands: readonly string[];
  /** The subject of a question about the program: the command, a group of commands, or a topic. */
  readonly topic: HelpTopic;
}

/** Operands as they may be written, by how the help names them; of files there are two. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '<file>': ['before.json', 'after.json'],
  '<file.gz>': ['fork-cache.gz'],
  '<file...>': ['first.info second.info'],
  '<bash|zsh|fish>': ['bash'],
  '<hash|to>': ['<hash>'],
  '<command...>': ['-- npx hardhat test'],
  '[call...]': [],
  '[name]': ['eth_call'],
  '[hash or file]': ['<hash>'],
  '[command or topic]': ['forks'],
};

/** Returns a command as it may be written. */
function exampleOf(name: CommandName): string {
  const examples = COMMANDS[name].operands.map((operand, index) =>
    operand in EXAMPLES ? (EXAMPLES[operand]?.[index] ?? '') : operand,
  );
  return ['node-cli', name, ...examples].filter((word) => word !== '').join(' ');
}

/** Returns the error for a word that names no command, and no topic either where `mayBeTopic`. */
function unknownCommand(word: string, known: readonly string[], mayBeTopic = false): UsageError {
  const meant = word === 'node' ? 'start' : nearestWord(word, known);
  const hint = meant === undefined ? (mayBeTopic ? SEE_TOPICS : SEE_HELP) : `did you mean ${meant}?`;
  return new UsageError(`unknown command ${quoted(word)}; ${hint}`);
}

/** Returns the error for a second word that makes no command with the first. */
function wrongSecondWord(first: CommandGroup, second: string | undefined): UsageError {
  const own = commandsOf(first).map(([name]) => name);
  const seconds = own.map((name) => name.slice(first.length + 1)).join(' or ');
  const example = own.slice(0, 1).map(exampleOf).join('');
  const given = second === undefined ? 'nothing' : quoted(second);
  return new UsageError(`${first} takes ${seconds}, not ${given}; for example ${example}`);
}

/** Returns the error for operands of a command that commander does not take. */
function wrongOperands(name: CommandName, given: readonly string[], { code }: CommanderError): UsageError {
  const wanted: readonly string[] = COMMANDS[name].operands;
  if (code === 'commander.missingArgument')
    return new UsageError(`${name} needs ${wanted.join(' ')}; for example ${exampleOf(name)}`);
  const surplus = quoted(given[wanted.length] ?? '');
  return wanted.length === 0
    ? new UsageError(`${name} takes options only, not ${surplus}; ${SEE_HELP}`)
    : new UsageError(`${name} takes ${wanted.join(' ')} only, not ${surplus} too; ${SEE_HELP}`);
}

/** Commands whose later operands belong to a program or to a call, which take empty texts. */
const WITH_OWN_ARGUMENTS: ReadonlySet<CommandName> = new Set(['exec', 'trace']);

/** Throws {@link UsageError} for an empty operand. */
function checkNotEmpty({ name, operands }: Pick<FoundCommand, 'name' | 'operands'>): void {
  const checked = WITH_OWN_ARGUMENTS.has(name) ? operands.slice(0, 1) : operands;
  const place = checked.indexOf('');
  if (place === -1) return;
  const wanted: readonly string[] = COMMANDS[name].operands;
  throw new UsageError(
    `${name}: expected ${wanted[place] ?? wanted.at(-1)}, got an empty argument; for example ${exampleOf(name)}`,
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

/** Returns the subject of a question that has these words. Throws {@link UsageError} for an unknown command. */
function topicOf(program: Command, [first, second]: readonly string[], known: readonly string[]): HelpTopic {
  if (first === undefined) return 'start';
  const command = program.commands.find((candidate) => candidate.name() === first);
  if (command === undefined) throw unknownCommand(first, known, known.some(isTopic));
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

/** Resolves to the help of a topic or of a command. */
export async function helpAbout(topic: HelpTopic): Promise<string> {
  return isTopic(topic) ? topicText(topic) : helpText(topic);
}
