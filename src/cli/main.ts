import { systemHost } from './host.ts';
import { runCommand } from './run-command.ts';

/** Runs the command of this process. */
export function main(): Promise<void> {
  return runCommand(systemHost());
}
