// Commands: the type of those that answer and end, their exit codes, and the two forms in which they print: JSON for programs, columns for
// people.

import type { Host } from './host.ts';
import type { CommandLine } from './read-options.ts';

/** A command that answers and ends; gives what the process ends with. Rejects with `UsageError` or `StartError`. */
export type Command = (commandLine: CommandLine, host: Host) => Promise<number>;

/** The exit codes of the process. */
export const EXIT_CODES = {
  success: 0,
  /** The two chains that were compared differ. */
  different: 1,
  /** It could not start, or not end as it should. */
  failure: 1,
  /** The command line or the environment was wrong. */
  usage: 2,
  /** Gas grew by more than `--gas-tolerance` allows. */
  gasGrew: 3,
  /** The program that `exec` is to run cannot be run, or is not there, as shells have it. */
  notExecutable: 126,
  notFound: 127,
  /** A signal came before it was up, or a second one while it was closing. */
  interrupted: 130,
} as const;

/** Returns one JSON object on a line; wei and gas as decimal texts. */
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
