import { systemHost } from './host.ts';
import { rehearse } from './rehearsal.ts';
import { runCommand } from './run-command.ts';

export { rehearse };

/** Runs the command of this process. */
export function main(): Promise<void> {
  return runCommand(systemHost());
}
