import type { OptionDefinition } from '../option-definition.ts';
import { choice, text } from '../value-form.ts';
import { NETWORK_POOL_TIMEOUT } from './mining-options.ts';

/** The options of what is printed and written. */
export const OUTPUT_OPTIONS = {
  artifacts: {
    group: 'Output',
    setBy: 'user',
    kind: 'list',
    isWhole: true,
    form: text(
      { placeholder: '<dir>', allowed: 'the path of a folder or file', example: './artifacts' },
      /^.+$/s,
    ),
    otherwise: 'those of the Hardhat, Foundry or Truffle project that the node runs in',
    conflicts: ['noArtifacts'],
    description: 'Folder with build outputs, by which calls are decoded and failures have stack traces',
  },
  noArtifacts: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    conflicts: ['artifacts'],
    description: 'Look for no build outputs',
  },
  configOut: {
    group: 'Output',
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'node.json' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'no file',
    description: 'Write accounts, keys, URL and chain facts to this file as JSON',
  },
  quiet: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    short: 'q',
    aliases: ['silent'],
    description: 'Print the listening line only',
  },
  verbose: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    short: 'v',
    conflicts: ['quiet'],
    description: 'Print every request and every block on its own',
  },
  noConsoleLog: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    aliases: ['disable-console-log'],
    description: 'Print nothing of what contracts write with console.log',
  },
  json: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    aliases: ['format-json'],
    description: 'Print one JSON object per line',
  },
  noColor: {
    group: 'Output',
    setBy: 'user',
    kind: 'switch',
    description: 'Print without colours and cursor movement, as NO_COLOR asks for too',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options of how the node answers. */
export const DIALECT_OPTIONS = {
  hosted: {
    group: 'Dialect',
    setBy: 'user',
    kind: 'switch',
    needs: ['apiKey'],
    conflicts: ['logBlockLimit', 'logLimit'],
    implies: { compat: 'service', ...NETWORK_POOL_TIMEOUT },
    description: 'Answer as the hosted service does: no keys held, an estimate in every case',
  },
  erc7562: {
    group: 'Dialect',
    setBy: 'user',
    kind: 'switch',
    aliases: ['safe-mode'],
    conflicts: ['hosted'],
    description:
      'Refuse user operations whose validation breaks the opcode, storage and stake rules of ERC-7562, or whose contracts have a bad reputation',
  },
  compat: {
    group: 'Dialect',
    setBy: 'agent',
    kind: 'value',
    form: choice('auto', 'service', 'anvil', 'hardhat'),
    default: 'auto',
    description:
      'Error style; auto: hardhat for Hardhat, anvil in viem, wagmi and Foundry projects, else service',
  },
  fieldNames: {
    group: 'Dialect',
    setBy: 'user',
    kind: 'value',
    form: choice('service', 'native'),
    default: 'service',
    description:
      "Names of a block's fields: the service's parentchain…, or the network's own bitcoin…, rskPteEdges and baseEvent",
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options that ask about the program, or say where others stand. */
export const PROGRAM_OPTIONS = {
  config: {
    group: 'Program',
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file of options', example: 'node-cli.config.json' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'node-cli.config.json, .js, .mjs or .ts, if it is there',
    conflicts: ['noConfig'],
    description: 'Take options that are not given from this file, by their camel-case names',
  },
  noConfig: {
    group: 'Program',
    setBy: 'user',
    kind: 'switch',
    description: 'Take no options from a file',
  },
  version: {
    group: 'Program',
    setBy: 'user',
    kind: 'switch',
    short: 'V',
    isQuestion: true,
    description: 'Print the version',
  },
  help: {
    group: 'Program',
    setBy: 'user',
    kind: 'switch',
    short: 'h',
    isQuestion: true,
    description: 'Print this help',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
