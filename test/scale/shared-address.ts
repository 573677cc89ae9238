import { once } from 'node:events';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { type RunningNginx, startNginx } from './running-nginx.ts';

/** Two nodes with lanes behind nginx. */
export interface SharedAddress {
  readonly nodes: readonly [RunningNode, RunningNode];
  /** `127.0.0.1:<port>` of nginx. */
  readonly address: string;
  /** The result of a method on a lane, through nginx. Rejects with what went wrong. */
  call(key: string, method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** The keys of the lanes that each node has. */
  keys(): Promise<readonly [string[], string[]]>;
  /** Ends nginx and both nodes, unless they are dead. */
  stop(): Promise<void>;
}

/** Starts two nodes with the options of each, and nginx before them. */
export async function startSharedAddress(
  options: readonly [readonly string[], readonly string[]],
): Promise<SharedAddress> {
  const first = await startNode(...options[0]);
  const second = await startNode(...options[1]);
  const nginx: RunningNginx = await startNginx([portOf(first), portOf(second)]);
  return {
    nodes: [first, second],
    address: nginx.address,
    call: (key, method, ...params) => call(`http://${nginx.address}/${key}`, method, ...params),
    keys: async () => [await keysOf(first), await keysOf(second)],
    async stop() {
      await nginx.stop();
      await Promise.all([first, second].filter(isAlive).map((node) => node.stop()));
    },
  };
}

/** The port that a node listens on. */
export function portOf({ url }: RunningNode): number {
  return Number(new URL(url).port);
}

/** Ends a node as `kill -9` does; settles when it is gone. */
export async function kill(node: RunningNode): Promise<void> {
  const closed = once(node.process, 'close');
  node.process.kill('SIGKILL');
  await closed;
}

/** The result of a JSON-RPC method at a URL. Rejects with the status, or the error, of any other answer. */
export async function call(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, requestOf(method, ...params));
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || !('result' in answer))
    throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer.result;
}

/** What `fetch` is given to call a JSON-RPC method. */
export function requestOf(method: string, ...params: readonly unknown[]): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  };
}

function isAlive({ process: { exitCode, signalCode } }: RunningNode): boolean {
  return exitCode === null && signalCode === null;
}

async function keysOf(node: RunningNode): Promise<string[]> {
  const lanes = await call(node.url, 'lane_list');
  if (!Array.isArray(lanes)) throw new TypeError('lane_list gave no list');
  return lanes.map(({ key }) => String(key)).sort();
}
