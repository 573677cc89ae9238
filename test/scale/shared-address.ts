import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { resultAt } from '../support/json-rpc.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { portOf } from './ports.ts';
import { startNginx } from './running-nginx.ts';

/** Two nodes with lanes behind nginx, until the test ends. */
export interface SharedAddress {
  readonly nodes: readonly [RunningNode, RunningNode];
  /** `127.0.0.1:<port>` of nginx. */
  readonly address: string;
  /** The result of a method on a lane, through nginx. Rejects with the error. */
  call(key: string, method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** The lane keys of each node, in alphabetical order. */
  keys(): Promise<readonly [string[], string[]]>;
}

/** Starts two nodes, each with its options, and nginx in front of them. */
export async function startSharedAddress(
  options: readonly [readonly string[], readonly string[]],
): Promise<SharedAddress> {
  const first = await startTestNode(...options[0]);
  const second = await startTestNode(...options[1]);
  const { address } = await startNginx([portOf(first), portOf(second)]);
  return {
    nodes: [first, second],
    address,
    call: (key, method, ...params) => resultAt(`http://${address}/${key}`, method, params),
    keys: async () => [await keysOf(first), await keysOf(second)],
  };
}

/** Starts a node that the end of the test stops, unless it was killed. */
export async function startTestNode(...options: readonly string[]): Promise<RunningNode> {
  const node = await startNode(...options);
  const { process: child } = node;
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await node.stop();
  });
  return node;
}

/** Ends a node like `kill -9`. Settles when the process has ended. */
export async function kill({ process: child }: RunningNode): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function keysOf(node: RunningNode): Promise<string[]> {
  const lanes = await resultAt(node.url, 'lane_list');
  if (!Array.isArray(lanes)) throw new TypeError('lane_list gave no list');
  return lanes.map(({ key }) => String(key)).sort();
}
