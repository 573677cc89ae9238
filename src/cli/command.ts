// The type of commands that run once, their exit codes, and their two output formats: JSON and columns.

import type { Host } from './host.ts';
import type { CommandLine } from './read-options.ts';

/** Runs and resolves to the exit code of the process. Rejects with `UsageError` or `StartError`. */
export type Command = (commandLine: CommandLine, host: Host) => Promise<number>;

export const EXIT_CODES = {
  success: 0,
  /** The compared chains or states differ. */
  different: 1,
  /** The node could not start or could not save. */
  failure: 1,
  /** Invalid command line or environment. */
  usage: 2,
  /** Gas grew by more than `--gas-tolerance` allows. */
  gasGrew: 3,
  /** `exec` could not run its program. Shells use the same codes 126 and 127. */
  notExecutable: 126,
  notFound: 127,
  /** A signal arrived before the node had started, or a second signal while it was closing. */
  killed: 130,
} as const;

/** Returns a JSON object on one line. Wei and gas are decimal strings. */
export function jsonText(value: unknown): string {
  const plain = (_: string, field: unknown): unknown =>
    typeof field === 'bigint' ? field.toString() : field;
  return `${JSON.stringify(value, plain)}\n`;
}

/** Returns names and values in two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
