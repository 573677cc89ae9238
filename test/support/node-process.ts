import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A node in its own process, started like a user starts it. */
export interface RunningNode {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The same address for WebSocket. */
  readonly webSocketUrl: string;
  readonly process: ChildProcess;
  /** Ends the node with SIGTERM. Rejects if it does not end soon with code 0, or has written to stderr. */
  stop(): Promise<void>;
}

/** The node to test. NODE_CLI selects another one, for example of an installed package. */
const executable = process.env.NODE_CLI ?? fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
/** The log line with the URL, in text and in JSON format. */
const LISTENING = /^(?:Listening on |\{.*"kind":"listening","url":")(http:\/\/[^\s"]+)(?:\n|"\}\n)/m;
/** Milliseconds until a stopping node fails the test. */
const PATIENCE = 60_000;

/**
 * Starts the built node on a free port and waits until it listens. `options` are command-line options after
 * `start --port 0`. Rejects with the output of a node that ends early.
 */
export function startNode(...options: readonly string[]): Promise<RunningNode> {
  return startNodeIn(process.cwd(), ...options);
}

/** Like `startNode`, in the folder of a project, so that the node finds its build outputs. */
export function startNodeIn(directory: string, ...options: readonly string[]): Promise<RunningNode> {
  const child = spawn(process.execPath, [executable, 'start', '--port', '0', ...options], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(`ended with ${signal ?? code}`));
  });

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
    const how = await ended;
    clearTimeout(patience);
    if (how !== 'ended with 0' || complaints !== '') throw new Error(`the node ${how}: ${complaints}`);
  }

  return new Promise((resolve, reject) => {
    child.once('error', reject);
    ended.then((how) => reject(new Error(`the node ${how} before it listened: ${printed}${complaints}`)));
    child.stdout.on('data', (chunk) => {
      if (LISTENING.test(printed)) return;
      printed += chunk;
      const url = LISTENING.exec(printed)?.[1];
      if (url !== undefined) resolve({ url, webSocketUrl: url.replace('http', 'ws'), process: child, stop });
    });
  });
}
