import type { NodeOptions } from '../../../src/cli/options.ts';
import { settleCommandLine, splitCommandLine } from '../../../src/cli/read-options.ts';

/** The options of a command line. Throws a `UsageError`. */
export function readOptions(
  commandLine: readonly string[],
  environment: Parameters<typeof splitCommandLine>[1],
): NodeOptions {
  return settleCommandLine(splitCommandLine(commandLine, environment)).options;
}
