import type { OptionDefinition } from '../option-definition.ts';
import { wholeNumber } from '../value-form.ts';

const MAX_PORT = 65_535;

/** The options of `node-cli debug`. */
export const DEBUG_OPTIONS = {
  stdio: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'switch',
    conflicts: ['adapterPort'],
    description: 'Serve one editor on stdin and stdout (default)',
  },
  adapterPort: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: wholeNumber(0, MAX_PORT, '4711'),
    default: null,
    otherwise: 'stdin and stdout',
    description: 'Serve editors on this TCP port of 127.0.0.1; 0 = any free port',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
