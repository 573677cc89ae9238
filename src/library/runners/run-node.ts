/** The node of a test run: a child process, or a node in the process of the tests. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestRunError } from './answers.ts';
import { type LocalCall, localNodes } from './local-nodes.ts';
import { guardWaitingCalls } from './waiting-calls.ts';

/** The node of a run. */
export interface RunNode {
  readonly url: string;
  /**
   * Closes the node, which prints or writes its reports. Rejects with a {@link TestRunError} if they failed,
   * or if gas grew by more than `gasTolerance`.
   */
  close(): Promise<void>;
}

/** The output of the node. */
export interface NodeOutput {
  write(text: string): void;
  writeError(text: string): void;
}

/** Maximum characters of stored error output. Keeps the last ones, because a run can take hours. */
const MAX_KEPT = 16_384;

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

const COMMAND = join('bin', 'node-cli.js');

/** Returns the folder of this package. The package may be published under another name. */
function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, COMMAND))) return folder;
    if (folder === dirname(folder))
      throw new TestRunError('bin/node-cli.js is missing from the package; install the package again');
  }
}

/**
 * Runs `node-cli start` with these arguments; resolves when it listens. Later output goes to `output`. The
 * node ends with this process. Rejects with a {@link TestRunError} that contains the node's error.
 */
export async function startNodeProcess(args: readonly string[], output: NodeOutput): Promise<RunNode> {
  const words = [join(packageRoot(), COMMAND), 'start', '--quiet', '--end-with-stdin', ...args];
  const child = spawn(process.execPath, words, { stdio: 'pipe' });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // The node and its pipes do not keep the runner alive. The end of the runner closes them, which ends the
  // node.
  const streams = [child.stdin, child.stdout, child.stderr] as const;
  let errors = '';
  let isListening = false;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-MAX_KEPT);
    // Before the node listens, its output becomes the message of the error.
    if (isListening) output.writeError(text);
  });
  const url = await new Promise<string>((resolve, reject) => {
    let begun = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (isListening) {
        output.write(text);
        return;
      }
      begun += text;
      const [line, found] = LISTENING.exec(begun) ?? [];
      if (line === undefined || found === undefined) return;
      isListening = true;
      output.writeError(errors);
      const rest = begun.slice(begun.indexOf(line) + line.length);
      if (rest !== '') output.write(rest);
      resolve(found);
    });
    ended.then(
      (code) =>
        reject(new TestRunError(errors.trim() || `the node exited with code ${code} before it listened`)),
      reject,
    );
  });
  child.unref();
  for (const stream of streams) if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  return {
    url,
    async close() {
      child.ref();
      child.stdin.end();
      const code = await ended;
      if (code !== 0) throw new TestRunError(errors.trim() || `the test node exited with code ${code}`);
    },
  };
}

/** The part of the loader that starts the node. */
interface Loader {
  startInProcess(
    words: readonly string[],
    output: NodeOutput,
  ): Promise<{ readonly url: string; readonly call: LocalCall; close(): Promise<number> }>;
}

/**
 * Starts a node in this process with the arguments of `node-cli start`. Programs can use its URL while no code of the
 * tests blocks the process. Rejects with a {@link TestRunError} that contains the node's error.
 */
export async function startLocalNode(words: readonly string[], output: NodeOutput): Promise<RunNode> {
  const path = join(packageRoot(), 'dist', 'start.cjs');
  const { startInProcess } = createRequire(import.meta.url)(path) as Loader;
  let errors = '';
  const node = await startInProcess(['start', '--quiet', ...words], {
    write: (text) => output.write(text),
    writeError(text) {
      errors = `${errors}${text}`.slice(-MAX_KEPT);
      output.writeError(text);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof Error)) throw new TestRunError(String(error));
    throw new TestRunError(error.message, error.cause === undefined ? {} : { cause: error.cause });
  });
  localNodes().set(node.url, node.call);
  guardWaitingCalls();
  return {
    url: node.url,
    async close() {
      localNodes().delete(node.url);
      const code = await node.close();
      if (code !== 0) throw new TestRunError(errors.trim() || `the test node exited with code ${code}`);
    },
  };
}
