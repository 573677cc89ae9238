import type { NodeOptions } from '../../../src/cli/options.ts';
import { readCommandLine } from '../../../src/cli/read-options.ts';

/** The options of a command line. Throws a `UsageError`. */
export function readOptions(
  commandLine: readonly string[],
  environment: Parameters<typeof readCommandLine>[1],
): NodeOptions {
  return readCommandLine(commandLine, environment).options;
}
