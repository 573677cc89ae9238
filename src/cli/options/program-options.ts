import type { OptionDefinition } from '../option-definition.ts';

/** The options that ask about the program. */
export const PROGRAM_OPTIONS = {
  version: {
    group: 'Program',
    kind: 'switch',
    short: 'V',
    isQuestion: true,
    description: 'Print the version',
  },
  help: { group: 'Program', kind: 'switch', short: 'h', isQuestion: true, description: 'Print this help' },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
