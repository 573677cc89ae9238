/** A node in a process of its own, which ends with the process that started it. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestRunError } from './errors.ts';

/** A node that was started for a run of tests. */
export interface NodeProcess {
  readonly url: string;
  /**
   * Ends the node, which prints or writes its reports then. Rejects with a {@link TestRunError} when they failed, or when gas grew
   * by more than `gasTolerance`.
   */
  close(): Promise<void>;
}

/** The receivers of the output of the node. */
export interface NodeProcessOutput {
  write(text: string): void;
  writeError(text: string): void;
}

/** Characters of the errors of a node that are kept for the message about its end: the last ones of a run of hours. */
const MOST_KEPT = 16_384;

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

/** Returns the path of the command of the package that this file is packed in, whose name may be another one where it is published. */
function commandPath(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'bin', 'node-cli.js');
    if (existsSync(path)) return path;
    if (folder === dirname(folder))
      throw new TestRunError('the package lacks its file bin/node-cli.js; install it anew');
  }
}

/**
 * Starts `node-cli start` with those arguments, and resolves when it listens. Its later output goes to `output`. The node
 * ends when this process does, however that ends. Rejects with a {@link TestRunError} that has the words of the node.
 */
export async function startNodeProcess(
  args: readonly string[],
  output: NodeProcessOutput,
): Promise<NodeProcess> {
  const words = [commandPath(), 'start', '--quiet', '--end-with-stdin', ...args];
  const child = spawn(process.execPath, words, { stdio: 'pipe' });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // Neither the node nor its pipes keep the process of the runner; its end closes them, which ends the node.
  const streams = [child.stdin, child.stdout, child.stderr] as const;
  let errors = '';
  let isListening = false;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-MOST_KEPT);
    // The output before it listens becomes the message of the error.
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
      (code) => reject(new TestRunError(errors.trim() || `the node ended with ${code} before it listened`)),
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
      if (code !== 0) throw new TestRunError(errors.trim() || `the node of the tests ended with ${code}`);
    },
  };
}
