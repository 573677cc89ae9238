import type { OptionDefinition } from '../option-definition.ts';
import { percent, text } from '../value-form.ts';

/** The options of what is measured of everything that runs. */
export const MEASURING_OPTIONS = {
  coverage: {
    group: 'Gas and coverage',
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'lcov.info' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'nothing is counted',
    conflicts: ['noArtifacts', 'hosted'],
    conflictReasons: {
      noArtifacts: 'which leaves out the build outputs that say which lines there are to count',
    },
    description:
      'Count which lines, functions and branches of the sources run, and write them to this file at the end, for lcov; %p in its name is the process id',
  },
  coverageExclude: {
    group: 'Gas and coverage',
    setBy: 'user',
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
    group: 'Gas and coverage',
    setBy: 'user',
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
    group: 'Gas and coverage',
    setBy: 'user',
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
    group: 'Gas and coverage',
    setBy: 'user',
    kind: 'value',
    form: percent,
    default: null,
    otherwise: 'any',
    needs: ['gasBaseline'],
    description: 'Percent by which average and median gas may grow; beyond it the process ends with 3',
  },
  profile: {
    group: 'Gas and coverage',
    setBy: 'user',
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
} as const satisfies Readonly<Record<string, OptionDefinition>>;
