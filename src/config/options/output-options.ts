import type { OptionDefinition } from '../option-definition.ts';
import { choice, text } from '../value-form.ts';
import { NETWORK_POOL_TIMEOUT } from './mining-options.ts';

/** The options of printed output and written files. */
export const OUTPUT_OPTIONS = {
  artifacts: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'list',
    isWhole: true,
    form: text(
      { placeholder: '<dir>', allowed: 'the path of a folder or file', example: './artifacts' },
      /^.+$/s,
    ),
    otherwise: 'found in the project',
    conflicts: ['noArtifacts'],
    description: 'Decode calls and errors with the build outputs in this folder or file',
  },
  noArtifacts: {
    setBy: 'user',
    kind: 'switch',
    conflicts: ['artifacts'],
    description: 'Do not look for build outputs',
  },
  configOut: {
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'node.json' },
      /^.+$/s,
    ),
    default: null,
    description: 'Write accounts, keys, URL, chain id, gas limit and fees to a JSON file',
  },
  quiet: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'switch',
    short: 'q',
    aliases: ['silent'],
    description: 'Print only the line with the URL of the node',
  },
  verbose: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'switch',
    short: 'v',
    aliases: ['print-traces', 'enable-trace-printing'],
    conflicts: ['quiet'],
    description: 'Print every request and block, and the call tree of transactions',
  },
  noConsoleLog: {
    setBy: 'user',
    kind: 'switch',
    aliases: ['disable-console-log'],
    description: 'Do not print console.log output of contracts',
  },
  json: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'switch',
    aliases: ['format-json'],
    description: 'Print one JSON object per line',
  },
  color: {
    setBy: 'user',
    kind: 'value',
    form: choice('colour mode', 'auto', 'always', 'never'),
    default: 'auto',
    conflicts: ['noColor'],
    description: 'Print with colours: on terminals (auto), always or never',
  },
  noColor: {
    setBy: 'user',
    kind: 'switch',
    description: 'Print without colours and cursor movement (same as NO_COLOR=1)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options of responses. */
export const COMPAT_OPTIONS = {
  hosted: {
    setBy: 'user',
    kind: 'switch',
    needs: ['apiKey'],
    conflicts: ['logBlockLimit', 'logLimit'],
    implies: { compat: 'service', ...NETWORK_POOL_TIMEOUT },
    description: 'Hosted-node mode: no keys; gas estimates even for failing calls',
  },
  erc7562: {
    setBy: 'user',
    kind: 'switch',
    aliases: ['safe-mode'],
    conflicts: ['hosted'],
    description: 'Reject user operations that break the rules of ERC-7562',
  },
  compat: {
    common: 'Output and errors',
    setBy: 'agent',
    kind: 'value',
    form: choice('compat mode', 'auto', 'service', 'anvil', 'hardhat'),
    default: 'auto',
    description: 'Error style',
  },
  fieldNames: {
    setBy: 'user',
    kind: 'value',
    form: choice('kind of field names', 'service', 'native'),
    default: 'service',
    description: 'Names of block fields: parentchain… (service) or bitcoin… (native)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options for information and for the configuration file. */
export const PROGRAM_OPTIONS = {
  config: {
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file with options', example: 'node-cli.config.json' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'node-cli.config.json, .js, .mjs or .ts',
    conflicts: ['noConfig'],
    description: 'Read options from this file; the names are in camel case',
  },
  noConfig: {
    setBy: 'user',
    kind: 'switch',
    description: 'Do not read options from a file',
  },
  version: {
    setBy: 'user',
    kind: 'switch',
    short: 'V',
    isQuestion: true,
    description: 'Print the version',
  },
  help: {
    setBy: 'user',
    kind: 'switch',
    short: 'h',
    isQuestion: true,
    description: 'Print help',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
