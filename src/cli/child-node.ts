// A node that a command starts for another program or for an agent.

import { SaveError, UsageError } from '../config/errors.ts';
import type { NodeOptions, OptionKey } from '../config/options.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import type { CommandLineOptions } from './read-options.ts';
import type { RunningNode, StartOptions } from './start.ts';

/** Options that are valid with the URL of a running node. */
const WITH_URL: readonly OptionKey[] = [
  ...(['url', 'artifacts', 'noArtifacts', 'config', 'noConfig'] as const),
  ...(['verbose', 'quiet', 'json', 'color', 'noColor', 'stdio', 'adapterPort'] as const),
];

/** Throws {@link UsageError} for flags of a new node, because `--url` names a running one. */
export function rejectNodeOptions({ given }: CommandLineOptions): void {
  for (const [key, value] of given) {
    if (value?.source.startsWith('--') && !WITH_URL.includes(key))
      throw new UsageError(
        `${value.source} cannot be used with --url, because the node at that URL is already running; remove one of them`,
      );
  }
}

/** Returns the options of the node: any free port by default, and a log only with `--verbose`. */
export function childOptions(options: NodeOptions): StartOptions {
  const isAnyPort = !options.given.has('port');
  const printsReports = !options.quiet;
  return { ...options, quiet: !options.verbose, printsReports, ...(isAnyPort ? { port: 0 } : {}) };
}

/** Returns a host that writes to the error output. The standard output belongs to the command. */
export function childHost(host: Host): Host {
  return {
    ...host,
    output: { isTerminal: false, write: (text) => host.errorOutput.write(text) },
  };
}

/** Returns the URL of the node, with an API key if it requires one. */
export function urlFor({ url }: RunningNode, { apiKey: [apiKey] }: NodeOptions): string {
  return apiKey === undefined ? url : `${url}/${apiKey}`;
}

/** Closes the node. Resolves to its exit code; prints the reason if the chain or a report cannot be saved. */
export async function closed(
  running: Pick<RunningNode, 'close'>,
  host: Pick<Host, 'errorOutput'>,
): Promise<number> {
  try {
    return await running.close();
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    host.errorOutput.write(`node-cli: ${error.message}\n`);
    return EXIT_CODES.failure;
  }
}
