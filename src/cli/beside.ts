// A node that a command starts for another user of its output: a program that runs beside it, or an agent.

import { SaveError } from '../config/errors.ts';
import type { NodeOptions } from '../config/options.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import type { RunningNode, StartOptions } from './start.ts';

/** Returns the options of that node: a free port unless one is given, reports, and a log only with `--verbose`. */
export function optionsBeside(options: NodeOptions): StartOptions {
  const isAnyPort = !options.given.has('port');
  const printsReports = !options.quiet;
  return { ...options, quiet: !options.verbose, printsReports, ...(isAnyPort ? { port: 0 } : {}) };
}

/** Returns the host of the node, which writes what it says beside the output of the command. */
export function hostBeside(host: Host): Host {
  return {
    ...host,
    output: { isTerminal: false, write: (text) => host.errorOutput.write(text) },
  };
}

/** Returns the URL under which the node is called, with a key where it needs one. */
export function urlFor({ url }: RunningNode, { apiKey: [apiKey] }: NodeOptions): string {
  return apiKey === undefined ? url : `${url}/${apiKey}`;
}

/** Resolves to the exit code of the node; where its chain or a report cannot be written, that is printed. */
export async function closed(running: Pick<RunningNode, 'close'>, host: Host): Promise<number> {
  try {
    return await running.close();
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    host.errorOutput.write(`node-cli: ${error.message}\n`);
    return EXIT_CODES.failure;
  }
}
