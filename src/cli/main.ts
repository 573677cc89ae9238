import { type ImportModule, systemHost } from './host.ts';
import { rehearse } from './rehearsal.ts';
import { runCommand } from './run-command.ts';

export { rehearse };

/** Runs the command of this process; `importModule` imports modules that are no part of the program. */
export function main(importModule: ImportModule): Promise<void> {
  return runCommand(systemHost(importModule));
}
