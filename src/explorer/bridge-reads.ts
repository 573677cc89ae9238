/** Reads the getters of Rootstock's Bridge. */

import { decodeAbiParameters, toFunctionSelector } from 'viem/utils';
import { client } from './chain.ts';

const BRIDGE = '0x0000000000000000000000000000000001000006';

/** The facts about the Bridge that every node with a Bridge has. Amounts are in satoshi. */
export interface BridgeFacts {
  readonly federation: string;
  readonly lockingCap: bigint;
  readonly minimumPegin: bigint;
  readonly feePerKilobyte: bigint;
  /** The height of the best header of the parent chain. */
  readonly bestHeight: bigint;
  /** The requests that wait for a Bitcoin transaction. */
  readonly queuedPegouts: bigint;
  /** The block that can create the next Bitcoin transaction. */
  readonly nextPegoutBlock: bigint;
}

const GETTERS = {
  federation: ['getFederationAddress', 'string'],
  lockingCap: ['getLockingCap', 'int256'],
  minimumPegin: ['getMinimumLockTxValue', 'int256'],
  feePerKilobyte: ['getFeePerKb', 'int256'],
  bestHeight: ['getBtcBlockchainBestChainHeight', 'int256'],
  queuedPegouts: ['getQueuedPegoutsCount', 'uint256'],
  nextPegoutBlock: ['getNextPegoutCreationBlockNumber', 'uint256'],
} as const satisfies Record<keyof BridgeFacts, readonly [name: string, type: string]>;

/** Resolves to the facts in the latest block. Rejects with the error of a getter. */
export async function readBridge(): Promise<BridgeFacts> {
  const values = await Promise.all(
    Object.entries(GETTERS).map(async ([fact, [name, type]]) => {
      const data = await client.read<`0x${string}`>('eth_call', [
        { to: BRIDGE, data: toFunctionSelector(`${name}()`) },
        'latest',
      ]);
      const [value] = decodeAbiParameters([{ type }], data);
      return [fact, value] as const;
    }),
  );
  // The entries have the names and types of GETTERS.
  return Object.fromEntries(values) as unknown as BridgeFacts;
}
