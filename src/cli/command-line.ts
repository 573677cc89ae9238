/** Reads the command of a process, and prints its errors. */

import { takesOption } from '../config/commands.ts';
import { printable } from '../config/errors.ts';
import { internalErrorText } from '../log/log-entries.ts';
import { ExitError } from '../primitives/coded-error.ts';
import { readConfigFile } from './config-file.ts';
import type { ServingHost } from './host.ts';
import {
  type CommandLine,
  misspelledVariables,
  settleCommandLine,
  splitCommandLine,
} from './read-options.ts';

/** Maximum characters of an error line. Long, because paths can be long. */
const MAX_LINE_LENGTH = 5_000;

/** Reads the command line, the environment and the configuration file. Rejects with a `UsageError`. */
export async function readCommandLine(host: ServingHost): Promise<CommandLine> {
  const given = splitCommandLine(host.commandLine, host.environment);
  const { command, asksQuestion } = given;
  const misspelled = asksQuestion ? null : misspelledVariables(host.environment);
  if (misspelled !== null) host.errorOutput.write(`node-cli: warning: ${misspelled}\n`);
  if (asksQuestion || !takesOption(command, 'config') || given.given.get('noConfig'))
    return settleCommandLine(given);
  const file = await readConfigFile(given.given.get('config')?.texts.at(-1) ?? null, host);
  return settleCommandLine(given, file?.given);
}

/** Returns the line that the command prints for an error. */
export function errorLine(error: unknown): string {
  // The message can contain paths and file names with any characters.
  const words =
    error instanceof ExitError ? printable(error.message, MAX_LINE_LENGTH) : internalErrorText(error);
  return `node-cli: ${words}`;
}
