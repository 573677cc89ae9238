import type { OptionDefinition } from '../option-definition.ts';
import { percent, text } from '../value-form.ts';

/** The options of gas reports, profiles and coverage. */
export const MEASURING_OPTIONS = {
  coverage: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'lcov.info' },
      /^.+$/s,
    ),
    default: null,
    conflicts: ['noArtifacts', 'hosted'],
    conflictReasons: {
      noArtifacts: 'because coverage needs build outputs',
    },
    description: 'Write source coverage to this lcov file (%p = process id)',
  },
  coverageExclude: {
    setBy: 'user',
    kind: 'list',
    isWhole: true,
    form: text(
      { placeholder: '<path>', allowed: 'a file or folder of sources', example: 'contracts/mocks' },
      /^.+$/s,
    ),
    otherwise: 'only tests and packages are excluded',
    needs: ['coverage'],
    description: 'Exclude these sources from coverage; * matches any characters',
  },
  gasReport: {
    common: 'Output and errors',
    setBy: 'user',
    kind: 'value',
    form: text(
      {
        placeholder: '[file]',
        allowed: 'the path of a file to write, or - for stdout',
        example: 'gas.json',
      },
      /^.+$/s,
    ),
    default: null,
    bare: '-',
    description: 'Print gas per function on exit, or write it to a file',
  },
  gasBaseline: {
    setBy: 'user',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a gas report in JSON', example: 'gas.json' },
      /^.+$/s,
    ),
    default: null,
    needs: ['gasReport'],
    description: 'Compare the gas report with this earlier report in JSON',
  },
  gasTolerance: {
    setBy: 'user',
    kind: 'value',
    form: percent,
    default: null,
    needs: ['gasBaseline'],
    description: 'Exit with code 3 if average or median gas grows by more than N %',
  },
  profile: {
    setBy: 'user',
    kind: 'value',
    form: text(
      {
        placeholder: '<file>',
        allowed:
          'a file path that ends in .json (for speedscope) or in .txt or .folded (for collapsed stacks)',
        example: 'gas.speedscope.json',
      },
      /^.+\.(?:json|txt|folded)$/is,
    ),
    default: null,
    description: 'Write gas by call path and source line (.json, .txt or .folded file)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
