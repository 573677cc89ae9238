import { settleCommandLine, splitCommandLine } from '../../../src/cli/read-options.ts';
import type { NodeOptions } from '../../../src/config/options.ts';

/** The options of a command line. Throws a `UsageError`. */
export function readOptions(
  commandLine: readonly string[],
  environment: Parameters<typeof splitCommandLine>[1],
): NodeOptions {
  return settleCommandLine(splitCommandLine(commandLine, environment)).options;
}
