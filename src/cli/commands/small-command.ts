import type { Host } from '../host.ts';
import type { CommandLine } from '../read-options.ts';

/** A command that answers and ends; gives what the process ends with. Rejects with `UsageError` or `StartError`. */
export type SmallCommand = (commandLine: CommandLine, host: Host) => Promise<number>;

/** One JSON object on a line; wei and gas as decimal texts. */
export function jsonText(value: unknown): string {
  const plain = (_: string, field: unknown): unknown =>
    typeof field === 'bigint' ? field.toString() : field;
  return `${JSON.stringify(value, plain)}\n`;
}

/** Names and values in two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
