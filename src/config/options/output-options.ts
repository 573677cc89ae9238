import type { OptionDefinition } from '../option-definition.ts';
import { choice, percent, text } from '../value-form.ts';
import { NETWORK_POOL_TIMEOUT } from './mining-options.ts';

/** The options of what is printed and written. */
export const OUTPUT_OPTIONS = {
  artifacts: {
    group: 'Output',
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
    kind: 'switch',
    conflicts: ['artifacts'],
    description: 'Look for no build outputs',
  },
  coverage: {
    group: 'Output',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'lcov.info' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'nothing is counted',
    conflicts: ['noArtifacts', 'hosted'],
    description:
      'Count which lines, functions and branches of the sources run, and write them to this file at the end, for lcov; %p in its name is the process id',
  },
  coverageExclude: {
    group: 'Output',
    kind: 'list',
    isWhole: true,
    form: text(
      { placeholder: '<path>', allowed: 'a file or folder of sources', example: 'contracts/mocks' },
      /^.+$/s,
    ),
    otherwise: 'tests and packages alone',
    needs: ['coverage'],
    description: 'Leave these sources out of the coverage, too; * stands for any characters',
  },
  gasReport: {
    group: 'Output',
    kind: 'value',
    form: text(
      {
        placeholder: '[file]',
        allowed: 'the path of a file to write, or - for the output of the process',
        example: 'gas.json',
      },
      /^.+$/s,
    ),
    default: null,
    bare: '-',
    otherwise: 'gas is not measured',
    description:
      'At the end print the gas of each contract and function, or write it: .json as JSON, .md as Markdown, others as text',
  },
  gasBaseline: {
    group: 'Output',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a gas report in JSON', example: 'gas.json' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'nothing is compared',
    needs: ['gasReport'],
    description: 'Earlier gas report in JSON, with which the new one is compared',
  },
  gasTolerance: {
    group: 'Output',
    kind: 'value',
    form: percent,
    default: null,
    otherwise: 'any',
    needs: ['gasBaseline'],
    description: 'Percent by which average and median gas may grow; beyond it the process ends with 3',
  },
  profile: {
    group: 'Output',
    kind: 'value',
    form: text(
      {
        placeholder: '<file>',
        allowed: 'the path of a file that ends in .json (for speedscope), .txt or .folded (collapsed stacks)',
        example: 'gas.speedscope.json',
      },
      /^.+\.(?:json|txt|folded)$/is,
    ),
    default: null,
    otherwise: 'nothing is profiled',
    description:
      'At the end write the gas by call path and source line: .json for speedscope, .txt or .folded as collapsed stacks',
  },
  configOut: {
    group: 'Output',
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
    kind: 'switch',
    short: 'q',
    aliases: ['silent'],
    description: 'Print the listening line only',
  },
  verbose: {
    group: 'Output',
    kind: 'switch',
    short: 'v',
    conflicts: ['quiet'],
    description: 'Print every request and every block on its own',
  },
  noConsoleLog: {
    group: 'Output',
    kind: 'switch',
    aliases: ['disable-console-log'],
    description: 'Print nothing of what contracts write with console.log',
  },
  json: {
    group: 'Output',
    kind: 'switch',
    aliases: ['format-json'],
    description: 'Print one JSON object per line',
  },
  noColor: {
    group: 'Output',
    kind: 'switch',
    description: 'Print without colours and cursor movement, as NO_COLOR asks for too',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options of how the node answers. */
export const DIALECT_OPTIONS = {
  hosted: {
    group: 'Dialect',
    kind: 'switch',
    needs: ['apiKey'],
    conflicts: ['logBlockLimit', 'logLimit'],
    implies: { compat: 'service', ...NETWORK_POOL_TIMEOUT },
    description: 'Answer as the hosted service does: no keys held, an estimate in every case',
  },
  compat: {
    group: 'Dialect',
    kind: 'value',
    form: choice('auto', 'service', 'anvil', 'hardhat'),
    default: 'auto',
    description:
      "Whose habits to follow where clients differ; auto: Hardhat's for Hardhat, else the service's",
  },
  fieldNames: {
    group: 'Dialect',
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
  noConfig: { group: 'Program', kind: 'switch', description: 'Take no options from a file' },
  version: {
    group: 'Program',
    kind: 'switch',
    short: 'V',
    isQuestion: true,
    description: 'Print the version',
  },
  help: { group: 'Program', kind: 'switch', short: 'h', isQuestion: true, description: 'Print this help' },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
