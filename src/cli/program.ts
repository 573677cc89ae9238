import { Command, Option } from 'commander';
import {
  COMMAND_ENTRIES,
  COMMAND_GROUPS,
  COMMANDS,
  type CommandName,
  commandsOf,
  type HelpTopic,
  isCommandGroup,
  takesOption,
} from '../config/commands.ts';
import { OPTION_GROUPS, type OptionDefinition } from '../config/option-definition.ts';
import type { OptionKey } from '../config/options.ts';
import { flagOf, flagsFor, OPTION_ENTRIES } from '../config/options.ts';
import { NEEDLESS_FLAGS } from '../config/peer-flags.ts';

const HELP_WIDTH = 110;
const COMMAND_WIDTH = 31;

const INTRODUCTION =
  'A local chain for development: network and chain id 33, instant mining, JSON-RPC over HTTP and WebSocket.';

const CLOSING = `
Each option but --help and --version is an environment variable too, NODE_CLI_ and its name in capitals:
NODE_CLI_BLOCK_TIME=2 is --block-time 2, NODE_CLI_NO_MINING=true is --no-mining. A flag wins over a variable,
and a variable over the file: { "blockTime": 2, "noMining": true }.

Examples:
  node-cli                                   start with ten funded accounts on http://127.0.0.1:8545
  node-cli --port 0 --quiet                  pick a free port and print only where
  node-cli --block-time 2 --mixed-mining     mine each transaction at once, and a block every two seconds
  node-cli --state chain.json.gz             go on with a chain next time
  node-cli --hardfork cancun                 play an Ethereum chain with base fee and typed transactions
`;

/** What follows the description of an option in the help text: what happens without it. */
export function defaultOf(definition: OptionDefinition): string | null {
  if (definition.kind === 'switch') return null;
  if (definition.kind === 'list') return definition.otherwise;
  return definition.default ?? definition.otherwise ?? null;
}

/** A flag with what stands for its value. */
function withPlaceholder(flag: string, definition: OptionDefinition): string {
  return definition.kind === 'switch' ? flag : `${flag} ${definition.form.placeholder}`;
}

/** The flags of an option as they are written: `-p, --port <number>`. */
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
}

/** The option of one flag. Commander only splits the command line, so values are kept as texts. */
function optionOf(flags: string, description: string, definition: OptionDefinition): Option {
  const option = new Option(flags, description);
  if (definition.kind === 'switch') return option;
  // A flag that was written without its value before has `true`.
  return option.argParser((text: string, earlier: readonly string[] | true | undefined) =>
    Array.isArray(earlier) ? [...earlier, text] : [text],
  );
}

/** Makes a fresh program from the option table, with the options of the command. It reads flags only; values are judged by the table's forms. */
export function createProgram(name: CommandName = 'start'): Program {
  const command = new Command('node-cli');
  const options = new Map<OptionKey, readonly Option[]>();
  const { description, operands } = COMMANDS[name];
  command
    .description(name === 'start' ? INTRODUCTION : `${description}.`)
    .usage(name === 'start' ? '[start] [options]' : [name, ...operands, '[options]'].join(' '))
    .helpOption(false)
    .exitOverride()
    .configureOutput({
      writeErr: () => undefined,
      getOutHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
    });
  for (const group of OPTION_GROUPS) {
    for (const [key, definition] of OPTION_ENTRIES) {
      if (definition.group !== group || !takesOption(name, key)) continue;
      const [, ...others] = flagsFor([key, definition]);
      const own = optionOf(flagsOf(key, definition), descriptionOf(key, definition), definition);
      const aliases = others.map((flag) =>
        optionOf(withPlaceholder(flag, definition), '', definition).hideHelp(),
      );
      options.set(key, [own.helpGroup(`${group}:`), ...aliases]);
      for (const option of [own, ...aliases]) command.addOption(option);
    }
  }
  if (name === 'start')
    for (const flag of Object.keys(NEEDLESS_FLAGS)) command.addOption(new Option(flag).hideHelp());
  return { command, options };
}

/** The commands with what they do, a line each. */
function commandLines(entries: typeof COMMAND_ENTRIES): string {
  const lines = entries.map(
    ([name, { operands, description }]) =>
      `  ${[name, ...operands].join(' ').padEnd(COMMAND_WIDTH)}${description}\n`,
  );
  return `Commands:\n${lines.join('')}`;
}

/** The help text of a command, or of several with one first word; that of `start` tells of all others too. */
export function helpText(topic: HelpTopic = 'start'): string {
  if (isCommandGroup(topic)) {
    const commands = commandsOf(topic);
    const seconds = commands.map(([name]) => name.slice(topic.length + 1)).join('|');
    const usage = `Usage: node-cli ${topic} <${seconds}> [options]\n\n${COMMAND_GROUPS[topic]}.\n`;
    return `${usage}\n${commandLines(commands)}\nnode-cli ${commands[0]?.[0]} --help lists its options.\n`;
  }
  const information = createProgram(topic).command.helpInformation();
  return topic === 'start' ? `${information}\n${commandLines(COMMAND_ENTRIES)}${CLOSING}` : information;
}
