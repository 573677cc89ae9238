import type { OptionKey } from './options.ts';

/** A command in its only declaration. */
interface CommandDefinition {
  /** What must follow it, as the help names it. */
  readonly operands: readonly string[];
  /** The options that it takes; `null` for all. */
  readonly options: readonly OptionKey[] | null;
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
  completion: {
    operands: ['<bash|zsh|fish>'],
    options: [],
    description: 'Print a script that makes a shell complete commands and options',
  },
  help: {
    operands: ['[command]'],
    options: [],
    description: 'Print the help, or that of a command',
  },
  version: { operands: [], options: [], description: 'Print the version' },
} as const satisfies Readonly<Record<string, CommandDefinition>>;

/** The first words that commands share, with what these commands are about. */
export const COMMAND_GROUPS = {
  state: 'Look into files that chains are saved to',
  cache: 'Look after what is kept of the chains that were forked',
} as const satisfies Readonly<Record<string, string>>;

/** The first word of several commands. */
export type CommandGroup = keyof typeof COMMAND_GROUPS;

/** The words of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands in the order of their declaration. */
export const COMMAND_ENTRIES: readonly (readonly [CommandName, CommandDefinition])[] = Object.entries(
  COMMANDS,
).map(([name, definition]) => [name as CommandName, definition]);

/** What there is a help text about. */
export type HelpTopic = CommandName | CommandGroup;

/** True for the first word of several commands. */
export function isCommandGroup(word: string): word is CommandGroup {
  return Object.hasOwn(COMMAND_GROUPS, word);
}

/** The commands that begin with the word. */
export function commandsOf(group: CommandGroup): readonly (readonly [CommandName, CommandDefinition])[] {
  return COMMAND_ENTRIES.filter(([name]) => name.startsWith(`${group} `));
}

/** True for the options that the command takes, the questions about the program among them. */
export function takesOption(command: CommandName, key: OptionKey): boolean {
  const options: readonly OptionKey[] | null = COMMANDS[command].options;
  return options === null || key === 'help' || key === 'version' || options.includes(key);
}
