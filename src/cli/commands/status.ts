// Reads the status of a running node, or waits until it responds.

import { StartError } from '../../config/errors.ts';
import { waitedTimers } from '../../primitives/clock.ts';
import { type Command, columns, EXIT_CODES, jsonText } from '../command.ts';
import { AnsweredError, NodeClient } from '../node-client.ts';

/** Milliseconds between two attempts to reach the node. */
const PAUSE = 100;

/** The status of a node. Values that the node does not report are `null`. */
export interface NodeStatus {
  readonly url: string;
  readonly version: string | null;
  readonly chainId: number;
  readonly networkId: string | null;
  readonly blockNumber: number;
  /** In seconds since 1970. */
  readonly blockTimestamp: number | null;
  readonly hardfork: string | null;
  readonly isMining: boolean | null;
  readonly pending: number | null;
  readonly forkedFrom: { readonly chainId: number; readonly blockNumber: number } | null;
  readonly lanes: number | null;
}

/** Resolves to the result of a method; `null` if the node returns an error, such as an unknown method. */
async function optional(node: NodeClient, method: string, params: readonly unknown[] = []): Promise<unknown> {
  return node.ask(method, params).catch((error: unknown) => {
    if (error instanceof AnsweredError) return null;
    throw error;
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberOf(value: unknown): number | null {
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value));
  return isNumber ? Number(value) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns the `node-cli/…` part of the version, because `compat` modes put the name of a peer before it. */
function ownVersion(version: string | null): string | null {
  return /\bnode-cli\/\S+/.exec(version ?? '')?.[0] ?? version;
}

/** Resolves to the name of the hardfork, `null` if unknown. Other nodes report it in `anvil_nodeInfo`. */
async function hardforkOf(node: NodeClient, nodeInfo: unknown): Promise<string | null> {
  const known = await optional(node, 'inspect_hardforks');
  const own: unknown = Array.isArray(known) ? known.find((each) => field(each, 'isOwn') === true) : undefined;
  return textOf(field(own, 'name')) ?? textOf(field(nodeInfo, 'hardFork'));
}

/** Fetches the node's status. Rejects with {@link StartError} if no node answers. */
export async function statusOf(node: NodeClient): Promise<NodeStatus> {
  const chainId = numberOf(await node.ask('eth_chainId', []));
  const block = await node.ask('eth_getBlockByNumber', ['latest', false]);
  const blockNumber = numberOf(field(block, 'number'));
  if (chainId === null || blockNumber === null)
    throw new StartError(
      `${node.name} is not an Ethereum node: it returned no chain id or block; pass another URL with --url`,
    );
  const [version, networkId, pool, metadata, nodeInfo, lanes] = [
    await optional(node, 'web3_clientVersion'),
    await optional(node, 'net_version'),
    await optional(node, 'txpool_status'),
    await optional(node, 'hardhat_metadata'),
    await optional(node, 'anvil_nodeInfo'),
    (await node.hasLanes()) ? await optional(node, 'lane_list') : null,
  ];
  const forked = field(metadata, 'forkedNetwork');
  const [forkedChain, forkedBlock] = [
    numberOf(field(forked, 'chainId')),
    numberOf(field(forked, 'forkBlockNumber')),
  ];
  const interval = numberOf(field(field(nodeInfo, 'environment'), 'miningInterval'));
  const [pending, queued] = [numberOf(field(pool, 'pending')), numberOf(field(pool, 'queued'))];
  const isMining = await optional(node, 'eth_mining');
  return {
    url: await node.shownUrl(),
    version: ownVersion(textOf(version)),
    chainId,
    networkId: textOf(networkId),
    blockNumber,
    blockTimestamp: numberOf(field(block, 'timestamp')),
    hardfork: await hardforkOf(node, nodeInfo),
    isMining: typeof isMining === 'boolean' ? isMining || interval !== null : null,
    pending: pending === null || queued === null ? null : pending + queued,
    forkedFrom:
      forkedChain === null || forkedBlock === null
        ? null
        : { chainId: forkedChain, blockNumber: forkedBlock },
    lanes: Array.isArray(lanes) ? lanes.length : null,
  };
}

export function statusText(status: NodeStatus): string {
  const { blockTimestamp, forkedFrom } = status;
  const time = blockTimestamp === null ? '' : `, ${new Date(1_000 * blockTimestamp).toISOString()}`;
  const rows: readonly (readonly [string, string | null])[] = [
    ['URL', status.url],
    ['Version', status.version],
    ['Chain id', String(status.chainId)],
    ['Network id', status.networkId],
    ['Hardfork', status.hardfork],
    ['Latest block', `${status.blockNumber}${time}`],
    ['Pending', status.pending === null ? null : `${status.pending} transactions`],
    [
      'Fork of',
      forkedFrom === null ? null : `chain ${forkedFrom.chainId} at block ${forkedFrom.blockNumber}`,
    ],
    ['Lanes', status.lanes === null ? null : String(status.lanes)],
  ];
  return columns(rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}

/** Rejects with a `StartError` if no node answers, or the node returns an error. */
export const printStatus: Command = async ({ options }, host) => {
  const node = new NodeClient(options.url, true);
  const status = await statusOf(node).catch((error: unknown) => {
    throw error instanceof AnsweredError
      ? new StartError(`error from ${node.name}: ${error.message}`)
      : error;
  });
  await host.print(options.json ? jsonText(status) : statusText(status));
  return EXIT_CODES.success;
};

/** Waits until a node answers, and prints its URL. After the time limit, rejects with a `StartError`. */
export const waitForNode: Command = async ({ options }, host) => {
  const node = new NodeClient(options.url, true);
  const end = host.clock.now() + 1_000 * options.within;
  for (;;) {
    try {
      const chainId = numberOf(await node.ask('eth_chainId', []));
      const url = await node.shownUrl();
      await host.print(options.json ? jsonText({ url, chainId }) : `${url} is ready (chain id ${chainId})\n`);
      return EXIT_CODES.success;
    } catch (error) {
      const isAnswer = error instanceof AnsweredError;
      if (!isAnswer && !(error instanceof StartError)) throw error;
      if (host.clock.now() >= end)
        throw new StartError(`timed out after ${options.within} s: ${error.message}`);
      await new Promise<void>((resolve) => void waitedTimers.after(PAUSE, resolve));
    }
  }
};
