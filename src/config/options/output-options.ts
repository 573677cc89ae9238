import type { OptionDefinition } from '../option-definition.ts';
import { text } from '../value-form.ts';

/** The options of what is printed and written. */
export const OUTPUT_OPTIONS = {
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
