import type { OptionDefinition } from './option-definition.ts';
import { OPTIONS, type OptionKey } from './options.ts';

export interface CommandDefinition {
  /** The operands as in the help. Optional operands are in brackets. */
  readonly operands: readonly string[];
  /** The accepted options; `null` for all options of the node. */
  readonly options: readonly OptionKey[] | null;
  /** Accepted options of single commands, in addition to all options of the node. */
  readonly also?: readonly OptionKey[];
  /** Descriptions of options with another meaning for this command. */
  readonly optionDescriptions?: Partial<Readonly<Record<OptionKey, string>>>;
  /** Own options by the node options whose flags also set them. */
  readonly meant?: Partial<Readonly<Record<OptionKey, OptionKey>>>;
  /** The effect, in at most 70 characters. */
  readonly description: string;
  /** Command lines without `node-cli`, each with its effect. */
  readonly examples: readonly (readonly [line: string, effect: string])[];
}

/** The commands by name. */
export const COMMANDS = {
  start: {
    operands: [],
    options: null,
    description: 'Start the node (default)',
    examples: [
      ['', 'start with ten funded accounts on http://127.0.0.1:8545'],
      ['--state chain.json.gz', 'load the chain from a file, and save it on exit'],
      ['--fork-url https://node.example', 'fork another chain'],
    ],
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
    description: 'Print the accounts and private keys of a node with these options',
    examples: [
      ['accounts', 'print the ten default accounts'],
      ['accounts --accounts 3 --json', 'print three accounts as JSON'],
    ],
  },
  'state inspect': {
    operands: ['<file>'],
    options: ['json'],
    description: 'Print the contents of a dump or of a state file of Anvil',
    examples: [['state inspect chain.json.gz', 'print head, accounts and settings of a dump']],
  },
  'state diff': {
    operands: ['<file>', '<file>'],
    options: ['json'],
    description: 'Compare the newest states of two files; exit with 1 if they differ',
    examples: [['state diff before.json after.json', 'print every changed balance, nonce, code and slot']],
  },
  'cache ls': {
    operands: [],
    options: ['forkCacheDir', 'json'],
    description: 'List the files of the fork cache',
    examples: [['cache ls', 'list the cached blocks, with the size of each file']],
  },
  'cache clean': {
    operands: [],
    options: ['forkCacheDir', 'json'],
    description: 'Delete the files of the fork cache',
    examples: [['cache clean', 'delete all cached data of fork URLs']],
  },
  'cache pack': {
    operands: ['<file.gz>'],
    options: ['forkCacheDir', 'upstream', 'json'],
    meant: { forkUrl: 'upstream' },
    optionDescriptions: { upstream: 'Export only the data of this fork URL (default: all fork URLs)' },
    description: 'Export the fork cache to a file',
    examples: [
      ['cache pack cache.gz', 'export the whole fork cache'],
      ['cache pack cache.gz --fork-url https://node.example', 'export the data of one fork URL'],
    ],
  },
  'cache unpack': {
    operands: ['<file.gz>'],
    options: ['forkCacheDir', 'upstream', 'json'],
    meant: { forkUrl: 'upstream' },
    optionDescriptions: {
      upstream: 'Import the data for forks of this URL (default: the URLs in the file)',
    },
    description: 'Import a file that cache pack exported',
    examples: [
      ['cache unpack cache.gz', 'import all data for the URLs in the file'],
      ['cache unpack cache.gz --fork-url http://127.0.0.1:8546', 'import all data for another fork URL'],
    ],
  },
  'coverage merge': {
    operands: ['<file...>'],
    options: ['coverage'],
    optionDescriptions: {
      coverage:
        'Write the merged coverage to this file and print a table (default: print the merged coverage)',
    },
    description: 'Merge the coverage files (lcov) of several nodes',
    examples: [['coverage merge first.info second.info --coverage lcov.info', 'merge two files into one']],
  },
  completion: {
    operands: ['<bash|zsh|fish>'],
    options: [],
    description: 'Print a completion script for a shell',
    examples: [
      ['completion bash', 'print the script; load it with source <(node-cli completion bash)'],
      ['completion fish', 'print the script; load it with node-cli completion fish | source'],
    ],
  },
  methods: {
    operands: ['[name]'],
    options: ['json'],
    description: 'List the JSON-RPC methods, or explain one of them',
    examples: [
      ['methods', 'list all methods'],
      ['methods eth_call', 'print parameters, result and an example of a method'],
    ],
  },
  exec: {
    operands: ['<command...>'],
    options: null,
    optionDescriptions: {
      port: 'Port to listen on (default: a free port)',
      verbose: 'Also print the log of the node, with the calls of each transaction',
    },
    description: 'Run a command with its own node; NODE_CLI_URL contains the URL',
    examples: [
      ['exec -- npx hardhat test', 'start a node, run the tests, stop the node'],
      ['exec --hardfork cancun -- npm test', 'run the tests on a node with the rules of Cancun'],
    ],
  },
  mcp: {
    operands: [],
    options: null,
    also: ['url'],
    optionDescriptions: {
      url: 'Serve the running node at this URL (default: start a node)',
      port: 'Port to listen on (default: a free port)',
      verbose: "Also print the node's log to stderr, with the calls of transactions",
    },
    description: 'Serve AI agents over the Model Context Protocol (stdin and stdout)',
    examples: [
      ['mcp', 'start a node and serve its tools'],
      ['mcp --url http://127.0.0.1:8545', 'serve the tools for a running node'],
    ],
  },
  debug: {
    operands: [],
    options: null,
    also: ['url', 'stdio', 'adapterPort'],
    optionDescriptions: {
      url: 'Debug executions of the running node at this URL (default: start a node)',
      port: 'Port to listen on (default: a free port)',
      verbose: "Also print the node's log to stderr, with the calls of transactions",
    },
    description: 'Debug transactions in an editor (Debug Adapter Protocol)',
    examples: [
      ['debug --url http://127.0.0.1:8545', 'serve an editor on stdin and stdout, for a running node'],
      ['debug --adapter-port 4711', 'start a node, and serve editors on a TCP port'],
    ],
  },
  wait: {
    operands: [],
    options: ['url', 'within', 'json'],
    description: 'Wait until a node replies, at most --within seconds',
    examples: [['wait --url http://127.0.0.1:8545 --within 10', 'wait at most ten seconds']],
  },
  status: {
    operands: [],
    options: ['url', 'json'],
    description: "Show a running node's chain id and latest block",
    examples: [
      ['status', 'show the status of the node at http://127.0.0.1:8545'],
      ['status --url http://127.0.0.1:8546 --json', 'show the status of another node as JSON'],
    ],
  },
  trace: {
    operands: ['<hash|to>', '[call...]'],
    options: ['url', 'call', 'from', 'value', 'block', 'json', 'verbose', 'color', 'noColor'],
    optionDescriptions: {
      verbose: 'Print the addresses and the bytes of each call',
      json: "Print the node's response as JSON",
    },
    description: 'Show the calls, events and changes of a transaction or of a call',
    examples: [
      ['trace <hash>', 'trace a transaction'],
      ['trace --call <to> "transfer(address,uint256)" <recipient> 5', 'trace a call by its signature'],
      ['trace --call <to> 0x06fdde03', 'trace a call by its data'],
      ['trace --call \'{"to": "<to>", "data": "0x06fdde03"}\'', 'trace a call object'],
    ],
  },
  compare: {
    operands: ['[hash or file]'],
    options: ['hardforks', 'url', 'json', 'verbose', 'color', 'noColor'],
    meant: { hardfork: 'hardforks' },
    optionDescriptions: {
      url: 'URL of a running node; ignored for a file (default: http://127.0.0.1:8545)',
      verbose: 'Print all differences of each transaction instead of one line',
      json: 'Print one JSON object',
    },
    description: 'Run transactions under other hardforks and show the differences',
    examples: [
      ['compare <hash>', 'compare one transaction of a running node'],
      ['compare --hardfork prague,osaka', 'compare all mined transactions of a running node'],
      ['compare --hardfork prague,prague+eip7951', 'compare with a single EIP'],
      ['compare chain.json.gz', 'compare all transactions of a dump'],
    ],
  },
  help: {
    operands: ['[command, topic or option]'],
    options: [],
    description: 'Print help about a command, topic or option (--all: all options)',
    examples: [
      ['help trace', 'explain a command'],
      ['help lanes', 'explain a topic'],
      ['help --lanes', 'explain an option'],
      ['help --all', 'list all options'],
    ],
  },
  version: {
    operands: [],
    options: [],
    description: 'Print the version',
    examples: [['version', 'print the version']],
  },
} as const satisfies Readonly<Record<string, CommandDefinition>>;

/** The first words of command groups, with a description. */
export const COMMAND_GROUPS = {
  state: 'Inspect and compare dumps of chains',
  coverage: 'Merge coverage files',
  cache: 'List, delete, export and import the fork cache',
} as const satisfies Readonly<Record<string, string>>;

/** The topics of `help` that are not commands, with a description. `help-topics.ts` contains the texts. */
export const TOPICS = {
  server: 'Server: address, access and limits',
  chain: 'Chain: rules, limits, genesis block, predeployed contracts, directory',
  hardforks: 'Ethereum hardforks, and previews of future rules',
  forks: 'Forking another chain',
  'state-files': 'Saving a chain to a file and loading it',
  mining: 'Mining modes, block time and the clock',
  'parent-chain': 'The simulated parent chain, peg-ins and peg-outs',
  compat: 'Compat modes for Hardhat, viem, Foundry and others',
  lanes: 'Lanes: an isolated chain per test file',
  tests: 'Test runners: one node per run, one lane per file',
  errors: 'Error codes, HTTP statuses and exit codes',
  output: 'Log, traces and build outputs',
  gas: 'Gas report, profile and coverage',
  config: 'Options in the environment and in a file',
  agents: 'AI agents: Model Context Protocol',
} as const satisfies Readonly<Record<string, string>>;

export type TopicName = keyof typeof TOPICS;

/** In display order. */
export const TOPIC_NAMES: readonly TopicName[] = Object.keys(TOPICS) as TopicName[];

/** True for the name of a topic that is not a command. */
export function isTopic(word: string): word is TopicName {
  return Object.hasOwn(TOPICS, word);
}

/** The first word of several commands. */
export type CommandGroup = keyof typeof COMMAND_GROUPS;

export type CommandName = keyof typeof COMMANDS;

/** The commands in the order of their declaration. */
export const COMMAND_ENTRIES: readonly (readonly [CommandName, CommandDefinition])[] = Object.entries(
  COMMANDS,
).map(([name, definition]) => [name as CommandName, definition]);

/** An option, by its flag, as the subject of help. */
export type OptionTopic = `--${string}`;

/** The subject of the help text that lists all options. */
export const ALL_OPTIONS: OptionTopic = '--all';

export type HelpTopic = CommandName | CommandGroup | TopicName | OptionTopic;

/** True for an option, or for all options, as the subject of help. */
export function isOptionTopic(topic: HelpTopic): topic is OptionTopic {
  return topic.startsWith('--');
}

/** True for the first word of several commands. */
export function isCommandGroup(word: string): word is CommandGroup {
  return Object.hasOwn(COMMAND_GROUPS, word);
}

export function commandsOf(group: CommandGroup): readonly (readonly [CommandName, CommandDefinition])[] {
  return COMMAND_ENTRIES.filter(([name]) => name.startsWith(`${group} `));
}

/** Returns the description of an option with another meaning for this command; null if it has none. */
export function ownDescription(command: CommandName, key: OptionKey): string | null {
  const definition: CommandDefinition = COMMANDS[command];
  return definition.optionDescriptions?.[key] ?? null;
}

/** Returns the option that a node option's flag sets for this command, usually the same one. */
export function suggestedOption(command: CommandName, key: OptionKey): OptionKey {
  const definition: CommandDefinition = COMMANDS[command];
  return definition.meant?.[key] ?? key;
}

/** True if the command accepts the option. All commands accept `--help` and `--version`. */
export function takesOption(command: CommandName, key: OptionKey): boolean {
  const options: readonly OptionKey[] | null = COMMANDS[command].options;
  const definition: OptionDefinition = OPTIONS[key];
  const { also = [] }: CommandDefinition = COMMANDS[command];
  if (options === null) return definition.isOfCommand !== true || also.includes(key);
  return key === 'help' || key === 'version' || options.includes(key);
}

/** The names of all topics and commands. */
export const HELP_SUBJECTS: readonly (CommandName | TopicName)[] = [
  ...TOPIC_NAMES,
  ...COMMAND_ENTRIES.map(([name]) => name),
];

/** True for the name of a topic or command. */
export function isHelpSubject(word: string): word is CommandName | TopicName {
  return HELP_SUBJECTS.some((subject) => subject === word);
}
