// Runs a program with its own node. The node starts before the program and closes after it.

import { printable, UsageError } from '../../config/errors.ts';
import { urlVariables } from '../../config/url-variables.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import { childHost, childOptions, closed, urlFor } from '../child-node.ts';
import { EXIT_CODES } from '../command.ts';
import type { Host, RunningProgram } from '../host.ts';
import type { CommandLine } from '../read-options.ts';
import { startNode } from '../start.ts';

const UNUSED =
  'node-cli: note: the command sent no request to this node; use the URL in NODE_CLI_URL or ETH_RPC_URL\n';

/** Returns a hint if the program follows an option with an optional value and may be meant as its value. */
function meantAsValue(program: string, commandLine: readonly string[]): string {
  const before = commandLine[commandLine.indexOf(program) - 1] ?? '';
  return /^--\w/.test(before) ? `; to set ${before}, write ${before}=${printable(program)}` : '';
}

/**
 * Starts a node, runs the program with the URL of the node in its environment, and closes the node when it
 * ends. Signals go to the program. Resolves to the exit code of the program, or of the node if the program
 * exits with 0. Rejects with `UsageError` or `StartError`.
 */
export async function execWithNode({ operands, options }: CommandLine, host: Host): Promise<number> {
  const [program, ...parameters] = operands;
  if (program === undefined)
    throw new UsageError('exec: missing command; for example node-cli exec -- npx hardhat test');
  let started: RunningProgram | null = null;
  // Until the program starts, a signal may exit the process immediately.
  host.onSignal((signal) => {
    if (started === null) host.exit(EXIT_CODES.killed);
    else started.passOn(signal);
  });
  const running = await startNode(childOptions(options), childHost(host));
  let code: number;
  try {
    await (options.verbose ? running.announce() : running.writeConfig());
    const url = urlFor(running, options);
    const environment = {
      ...host.environment,
      ...urlVariables(url),
    };
    started = host.runProgram(program, parameters, environment);
    const ended = started.ended.then((code) => {
      if (running.requestCount() === 0 && !options.quiet) host.errorOutput.write(UNUSED);
      return code;
    });
    code = await ended.catch((error: unknown) => {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      const reason = isMissing ? 'command not found' : systemMessage(error);
      const hint = meantAsValue(program, host.commandLine);
      host.errorOutput.write(`node-cli: exec: cannot run ${printable(program)}: ${reason}${hint}\n`);
      return isMissing ? EXIT_CODES.notFound : EXIT_CODES.notExecutable;
    });
  } catch (error) {
    await closed(running, host);
    throw error;
  }
  const ofNode = await closed(running, host);
  return code === EXIT_CODES.success ? ofNode : code;
}
