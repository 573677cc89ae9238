/** Searches for logs in parts that the node is willing to answer. */

import { client } from './chain.ts';
import { RpcError } from './rpc/client.ts';

/** A log as `eth_getLogs` answers it. */
export interface FoundLog {
  readonly address: string;
  readonly topics: readonly `0x${string}`[];
  readonly data: `0x${string}`;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

/** The code of a search that finds more than the node answers at once. */
const LIMIT_EXCEEDED = -32_012;

/** True for the error that says that a search finds too much. */
export function isLimitExceeded(error: unknown): boolean {
  return error instanceof RpcError && error.code === LIMIT_EXCEEDED;
}

/** Resolves to the logs of the blocks `from` to `to`, the oldest first. Rejects as the node does. */
export function logsBetween(filter: object, from: number, to: number): Promise<readonly FoundLog[]> {
  const [fromBlock, toBlock] = [from, to].map((number) => `0x${number.toString(16)}`);
  return client.read<readonly FoundLog[]>('eth_getLogs', [{ ...filter, fromBlock, toBlock }]);
}

/** Resolves to the logs as {@link logsBetween} does, in halves where the node says that it is too much at once. Rejects when one block has too much. */
export async function logsInParts(filter: object, from: number, to: number): Promise<FoundLog[]> {
  try {
    return [...(await logsBetween(filter, from, to))];
  } catch (error) {
    if (from === to || !isLimitExceeded(error)) throw error;
    const middle = Math.floor((from + to) / 2);
    const older = await logsInParts(filter, from, middle);
    return [...older, ...(await logsInParts(filter, middle + 1, to))];
  }
}

/** Resolves to the block that the chain was forked at, below which another chain answers; 0 for none. */
export async function forkBlock(): Promise<number> {
  const { forkConfig } = await client.read<{
    readonly forkConfig: { readonly forkBlockNumber: number | string | null };
  }>('anvil_nodeInfo');
  return Number(forkConfig.forkBlockNumber ?? 0);
}
