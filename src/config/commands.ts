import type { OptionDefinition } from './option-definition.ts';
import { OPTIONS, type OptionKey } from './options.ts';

/** A command in its only declaration. */
interface CommandDefinition {
  /** The operands, as the help names them; those in brackets may be left out. */
  readonly operands: readonly string[];
  /** The options that it takes; `null` for all but those of single commands. */
  readonly options: readonly OptionKey[] | null;
  /** The options of single commands that one that takes all others takes too. */
  readonly also?: readonly OptionKey[];
  /** Descriptions of options that have another meaning here than for the node. */
  readonly optionDescriptions?: Partial<Readonly<Record<OptionKey, string>>>;
  /** Options of its own by those of the node whose flags stand for them too. */
  readonly meant?: Partial<Readonly<Record<OptionKey, OptionKey>>>;
  readonly description: string;
}

/** The commands by their words. */
export const COMMANDS = {
  start: {
    operands: [],
    options: null,
    description: 'Start the node; the command that is meant without one',
  },
  accounts: {
    operands: [],
    options: [
      'accounts',
      'mnemonic',
      'mnemonicRandom',
      'mnemonicSeedUnsafe',
      'derivationPath',
      'devAccounts',
      'chain',
      'chainId',
      'json',
      'config',
      'noConfig',
    ],
    description: 'Print the accounts and their private keys that a node with these options has',
  },
  'state inspect': {
    operands: ['<file>'],
    options: ['json'],
    description: "Print what is in a dump of a chain, or in Anvil's state file",
  },
  'state diff': {
    operands: ['<file>', '<file>'],
    options: ['json'],
    description: 'Print how two chains differ at their heads; ends with 1 if they do',
  },
  'cache ls': {
    operands: [],
    options: ['forkCacheDir', 'json'],
    description: 'List what is kept of the chains that were forked',
  },
  'cache clean': {
    operands: [],
    options: ['forkCacheDir', 'json'],
    description: 'Remove what is kept of the chains that were forked',
  },
  'cache pack': {
    operands: ['<file.gz>'],
    options: ['forkCacheDir', 'upstream', 'json'],
    meant: { forkUrl: 'upstream' },
    optionDescriptions: { upstream: 'Pack the answers of this upstream only (default: those of all)' },
    description: 'Write what is kept of the chains that were forked into one file',
  },
  'cache unpack': {
    operands: ['<file.gz>'],
    options: ['forkCacheDir', 'upstream', 'json'],
    meant: { forkUrl: 'upstream' },
    optionDescriptions: {
      upstream: 'Use the answers of the file for forks of this URL (default: for those of the same URLs)',
    },
    description: 'Add the answers of such a file to those that are kept',
  },
  'coverage merge': {
    operands: ['<file...>'],
    options: ['coverage'],
    optionDescriptions: {
      coverage: 'Write the sum to this file, and print a table of it (default: the sum itself is printed)',
    },
    description: 'Add up the files of --coverage that several nodes wrote',
  },
  completion: {
    operands: ['<bash|zsh|fish>'],
    options: [],
    description: 'Print a script that makes a shell complete commands and options',
  },
  methods: {
    operands: ['[name]'],
    options: ['json'],
    description: 'Print the methods of the node, or all about the one of that name',
  },
  exec: {
    operands: ['<command...>'],
    options: null,
    optionDescriptions: {
      port: 'Port to listen on (default: a free one)',
      verbose:
        'Print the log of the node beside the output of the command, with the calls of each transaction',
    },
    description: 'Run a command beside a node, whose URL is in its environment',
  },
  mcp: {
    operands: [],
    options: null,
    also: ['url'],
    optionDescriptions: {
      url: 'Serve the running node at this URL, with the lane or key in the path (default: a node is started)',
      port: 'Port to listen on (default: a free one)',
      verbose: 'Print the log of the node to the error output, with the calls of each transaction',
    },
    description: 'Serve agents: the Model Context Protocol on standard input and output',
  },
  wait: {
    operands: [],
    options: ['url', 'within', 'json'],
    description: 'Wait until a node answers, and no longer than --within',
  },
  status: {
    operands: [],
    options: ['url', 'json'],
    description: 'Print what chain a running node has, and how far it is',
  },
  trace: {
    operands: ['<hash|to>', '[call...]'],
    options: ['url', 'call', 'from', 'value', 'block', 'json', 'verbose', 'noColor'],
    optionDescriptions: {
      verbose: 'Print the addresses and the bytes of each call',
      json: 'Print the response of the node as JSON',
    },
    description: 'Print what a transaction of a running node did, or what a call would do',
  },
  compare: {
    operands: ['[hash or file]'],
    options: ['hardforks', 'url', 'json', 'verbose', 'noColor'],
    meant: { hardfork: 'hardforks' },
    optionDescriptions: {
      url: 'URL of a running node, with the lane or key in its path; ignored for a file (default: http://127.0.0.1:8545)',
      verbose: 'Print all that differs of each transaction, in place of one line',
      json: 'Print one JSON object',
    },
    description: 'Print how transactions of a node, or of a dump, differ under other hardforks',
  },
  help: {
    operands: ['[command or topic]'],
    options: [],
    description: 'Print the help, or that of a command or a topic; help help lists the topics',
  },
  version: { operands: [], options: [], description: 'Print the version' },
} as const satisfies Readonly<Record<string, CommandDefinition>>;

/** The first words that commands share, with a line about these commands. */
export const COMMAND_GROUPS = {
  state: 'Look into files that chains are saved to',
  coverage: 'Work with the files of --coverage',
  cache: 'Look after what is kept of the chains that were forked',
} as const satisfies Readonly<Record<string, string>>;

/** The topics of `help` besides the commands, with a line about each; the texts are in `help-topics.ts`. */
export const TOPICS = {
  server: 'Access of callers, and their limits',
  chain: 'Rules, first block, and a directory that keeps the chain',
  hardforks: 'The rules of Ethereum, and what is played of the next ones',
  forks: 'Starting from a chain that runs elsewhere',
  'state-files': 'Saving a chain to a file and loading it',
  mining: 'When blocks are made',
  dialects: 'Clients that expect different answers',
  lanes: 'One chain for each test file',
  tests: 'Test runners: one node for the run, a lane for each file',
  errors: 'Codes of errors, and of the end of the process',
  output: 'Output',
  gas: 'Gas report, profile and coverage, and how they end the process',
  config: 'Options in the environment and in a file',
  agents: 'Language models that work with the node',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a topic that is no command. */
export type TopicName = keyof typeof TOPICS;

/** The topics in the order in which they are listed. */
export const TOPIC_NAMES: readonly TopicName[] = Object.keys(TOPICS) as TopicName[];

/** Returns true for the name of a topic that is no command. */
export function isTopic(word: string): word is TopicName {
  return Object.hasOwn(TOPICS, word);
}

/** The first word of several commands. */
export type CommandGroup = keyof typeof COMMAND_GROUPS;

/** The words of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands in the order of their declaration. */
export const COMMAND_ENTRIES: readonly (readonly [CommandName, CommandDefinition])[] = Object.entries(
  COMMANDS,
).map(([name, definition]) => [name as CommandName, definition]);

/** The subjects of help texts. */
export type HelpTopic = CommandName | CommandGroup | TopicName;

/** Returns true for the first word of several commands. */
export function isCommandGroup(word: string): word is CommandGroup {
  return Object.hasOwn(COMMAND_GROUPS, word);
}

/** Returns the commands that begin with the word. */
export function commandsOf(group: CommandGroup): readonly (readonly [CommandName, CommandDefinition])[] {
  return COMMAND_ENTRIES.filter(([name]) => name.startsWith(`${group} `));
}

/** Returns what the option means to the command where that is something else than to the node; `null` where not. */
export function ownDescription(command: CommandName, key: OptionKey): string | null {
  const definition: CommandDefinition = COMMANDS[command];
  return definition.optionDescriptions?.[key] ?? null;
}

/** Returns the option of the command that the flag of an option of the node stands for; that option itself for most. */
export function meantOption(command: CommandName, key: OptionKey): OptionKey {
  const definition: CommandDefinition = COMMANDS[command];
  return definition.meant?.[key] ?? key;
}

/** Returns true for the options that the command takes, `--help` and `--version` among them. */
export function takesOption(command: CommandName, key: OptionKey): boolean {
  const options: readonly OptionKey[] | null = COMMANDS[command].options;
  const definition: OptionDefinition = OPTIONS[key];
  const { also = [] }: CommandDefinition = COMMANDS[command];
  if (options === null) return definition.isOfCommand !== true || also.includes(key);
  return key === 'help' || key === 'version' || options.includes(key);
}

/** The names of all topics and commands, which the help is asked about. */
export const HELP_SUBJECTS: readonly HelpTopic[] = [...TOPIC_NAMES, ...COMMAND_ENTRIES.map(([name]) => name)];

/** Returns true for the name of a topic or of a command. */
export function isHelpSubject(word: string): word is HelpTopic {
  return HELP_SUBJECTS.some((subject) => subject === word);
}
