/** Searches for logs in block ranges that the node accepts. */

import { client } from './chain.ts';
import { RpcError } from './rpc/client.ts';

/** A log of `eth_getLogs`. */
export interface FoundLog {
  readonly address: string;
  readonly topics: readonly `0x${string}`[];
  readonly data: `0x${string}`;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

/** The error code if a search exceeds the node's limit. */
const LIMIT_EXCEEDED = -32_012;

/** Returns true for the error of a search that exceeds the node's limit. */
export function isLimitExceeded(error: unknown): boolean {
  return error instanceof RpcError && error.code === LIMIT_EXCEEDED;
}

/** Resolves to the logs of blocks `from` to `to`, oldest first. Rejects with the node's error. */
export function logsBetween(filter: object, from: number, to: number): Promise<readonly FoundLog[]> {
  const [fromBlock, toBlock] = [from, to].map((number) => `0x${number.toString(16)}`);
  return client.read<readonly FoundLog[]>('eth_getLogs', [{ ...filter, fromBlock, toBlock }]);
}

/** Like {@link logsBetween}, but halves ranges above the node's limit. Rejects if one block exceeds it. */
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

/** Resolves to the fork block; 0 if the chain is not a fork. Earlier blocks come from the upstream chain. */
export async function forkBlock(): Promise<number> {
  const { forkConfig } = await client.read<{
    readonly forkConfig: { readonly forkBlockNumber: number | string | null };
  }>('anvil_nodeInfo');
  return Number(forkConfig.forkBlockNumber ?? 0);
}
