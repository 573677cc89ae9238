import type { OptionDefinition } from '../option-definition.ts';
import { text } from '../value-form.ts';

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
