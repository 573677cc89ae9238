// A debug adapter that is attached to a node over sockets.

import { encodeFunctionData, parseAbi } from 'viem';
import { debugNodesAt } from '../../../../src/cli/debug/debug-nodes.ts';
import { compiled, sceneOn } from '../../../inspect/evaluation/scene.ts';
import type { RpcHarness } from '../../../rpc/rpc-harness.ts';
import { type LaneServerOptions, startLaneServer } from '../../../server/lane-server.ts';
import { connectAdapter, move, nextHalt } from './adapter.ts';
import { CONTENT, FILE, lineOf } from './scene.ts';

const ABI = parseAbi([
  'function run(uint256)',
  'function loop(uint256)',
  'function caught(uint256)',
  'function total() view returns (uint256)',
]);

type Name = 'run' | 'loop' | 'caught';

export const PATH = `/project/${FILE}`;

export const at = (text: string, more: object = {}) => ({ [PATH]: [{ line: lineOf(text), ...more }] });

/** A node with the contracts, its clients, and an editor. */
export async function attachedScene(options: LaneServerOptions = {}) {
  const started = await startLaneServer({ ruleSet: 'cancun', ...options });
  const root = options.apiKeys === undefined ? '/' : `/${options.apiKeys[0]}`;
  const call = ((method: string, params?: readonly unknown[]) =>
    started.call(root, method, params)) as RpcHarness['call'];
  const scene = await sceneOn({ call }, compiled(FILE, CONTENT));
  const { address } = await scene.deploy('Main');
  const message = (name: Name, amount: bigint) => ({
    from: scene.from,
    to: address,
    gas: '0x4c4b40',
    data: encodeFunctionData({ abi: ABI, functionName: name, args: [amount] }),
  });
  const url = `http://127.0.0.1:${started.server.port}`;
  const adapter = await connectAdapter(call, { nodes: Promise.resolve(debugNodesAt(url)) });
  const { client, events } = adapter;
  let threadId = 0;
  client.on('stopped', ({ body }: { body: { threadId: number } }) => {
    ({ threadId } = body);
  });
  const requestOn = (path: string) => ({
    send: (name: Name, amount: bigint) =>
      started.call(path, 'eth_sendTransaction', [message(name, amount)]) as Promise<string>,
    read: (name: Name, amount: bigint) => started.call(path, 'eth_call', [message(name, amount), 'latest']),
    total: async () => {
      const data = encodeFunctionData({ abi: ABI, functionName: 'total' });
      return BigInt((await started.call(path, 'eth_call', [{ to: address, data }, 'latest'])) as string);
    },
  });
  return {
    ...started,
    ...adapter,
    ...requestOn(root),
    url,
    address,
    requestOn,
    /** Continues the stopped thread. Resolves to the next halt. */
    resume: () => move(client, () => client.continueRequest({ threadId })),
    nextHalt: () => nextHalt(client),
    threads: async () => (await client.threadsRequest()).body.threads,
    /** The texts of the output so far. */
    outputs: () =>
      events.flatMap(({ event, body }) => (event === 'output' ? [String(body.output).trimEnd()] : [])),
    /** The started and exited threads so far. */
    changes: () =>
      events.flatMap(({ event, body }) => (event === 'thread' ? [`${body.threadId} ${body.reason}`] : [])),
  };
}
