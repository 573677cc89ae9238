/** Starts the node of a test run in the process of the tests. */

import { ExitError } from '../primitives/coded-error.ts';
import type { InProcessCall } from '../server/in-process-calls.ts';
import { closed } from './child-node.ts';
import { errorLine, readCommandLine } from './command-line.ts';
import { type ImportModule, type ServingHost, SYSTEM } from './host.ts';
import { KeepAlive } from './keep-alive.ts';
import { startNode } from './start.ts';

/** Milliseconds between two actions of a timer that exists only to keep the process alive. */
const LONG_TIME = 2 ** 30;

/** The output of the node. */
export interface InProcessOutput {
  write(text: string): void;
  writeError(text: string): void;
}

/** A node in this process, served at a URL. */
export interface InProcessRun {
  readonly url: string;
  readonly call: InProcessCall;
  /** Closes the node, which prints or writes its reports. Resolves to the exit code of the command. */
  close(): Promise<number>;
}

/**
 * Starts a node with the arguments of a command. Signals and the standard input belong to the tests, and the node
 * keeps the process alive only during its calls. Rejects with the line that the command would print.
 */
export async function openInProcess(
  commandLine: readonly string[],
  { write, writeError }: InProcessOutput,
  start: ServingHost['start'],
  importModule: ImportModule,
): Promise<InProcessRun> {
  // Tests can replace the date.
  const { now } = Date;
  const host: ServingHost = {
    commandLine,
    environment: process.env,
    processId: process.pid,
    workingDirectory: process.cwd(),
    output: { write, isTerminal: false },
    errorOutput: { write: writeError },
    ...SYSTEM,
    clock: { now },
    importModule,
    start,
    guardSignals: () => undefined,
    exit: (code) => process.exit(code),
  };
  try {
    const { options } = await readCommandLine(host);
    const running = await startNode({ ...options, preparesItself: false }, host);
    running.unref();
    await running.writeConfig();
    const timer = setInterval(() => undefined, LONG_TIME);
    const keepAlive = new KeepAlive(timer);
    return {
      url: running.url,
      call: (...call) => keepAlive.during(() => running.call(...call)),
      close: async () => keepAlive.during(() => closed(running, host).finally(() => clearInterval(timer))),
    };
  } catch (error) {
    // The line of an expected error is complete.
    throw new Error(errorLine(error), error instanceof ExitError ? {} : { cause: error });
  }
}
