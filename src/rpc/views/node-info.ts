import type { Chain } from '../../chain/chain.ts';
import type { BlockTime } from '../../chain/settings/miner.ts';
import type { Fork } from '../../fork/fork.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { JsonSchema } from '../../wire/values.ts';
import type { RpcSettings } from '../rpc-context.ts';

/** A block interval, the bounds of a random one, or `null` for none. */
export const INTERVAL_JSON_SCHEMA: JsonSchema = {
  oneOf: [
    { type: 'number' },
    { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    { type: 'null' },
  ],
};

type BlockTimeView = number | readonly [least: number, most: number] | null;

function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** Returns the block time and its bounds in milliseconds. */
export function blockTimeInMilliseconds(blockTime: BlockTime | null): BlockTimeView {
  if (blockTime === null) return null;
  if (typeof blockTime === 'number') return inMilliseconds(blockTime);
  return [inMilliseconds(blockTime.least), inMilliseconds(blockTime.most)];
}

/** Returns the block time in seconds, or its bounds in milliseconds, as the setters accept them. */
export function blockTimeInSeconds(blockTime: BlockTime | null): BlockTimeView {
  return typeof blockTime === 'number' ? blockTime : blockTimeInMilliseconds(blockTime);
}

function forkConfig(fork: Fork | null): Readonly<Record<string, unknown>> {
  if (fork === null) return { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null };
  const [forkUrl = null] = fork.upstream.urls;
  return { forkUrl, forkBlockNumber: fork.number, forkRetryBackoff: fork.options.retryBackoff };
}

/** Returns the fork members of both forms of metadata. */
function forkedNetwork({ chainId, number, upstream }: Fork): Readonly<Record<string, unknown>> {
  return { chainId, forkBlockNumber: number, forkBlockHash: toHex(upstream.pin.hash) };
}

/** Returns the node in the form of anvil_nodeInfo; its clients reject other forms. */
export function nodeInfoView(chain: Chain, fork: Fork | null): Readonly<Record<string, unknown>> {
  const { header, hash } = chain.head();
  const { chainId } = chain.settings;
  const { gasLimit, minimumGasPrice } = chain.fees.nextLimits();
  return {
    currentBlockNumber: toQuantity(header.number),
    currentBlockTimestamp: header.timestamp,
    currentBlockHash: toHex(hash),
    hardFork: chain.ruleSet.toolHardfork,
    transactionOrder: chain.options.order,
    environment: {
      baseFee: toQuantity(chain.fees.nextBaseFee() ?? minimumGasPrice),
      chainId,
      gasLimit: toQuantity(gasLimit),
      gasPrice: toQuantity(chain.fees.gasPrice()),
    },
    forkConfig: forkConfig(fork),
    network: 'ethereum',
  };
}

/** Returns the chain members of both forms of metadata. */
function chainFields(chain: Chain): Readonly<Record<string, unknown>> {
  const { header, hash } = chain.head();
  return {
    chainId: chain.settings.chainId,
    instanceId: toHex(chain.identity.instanceId),
    latestBlockNumber: header.number,
    latestBlockHash: toHex(hash),
  };
}

/** Returns the node in the form of anvil_metadata: snapshots by id, with number and hash of their head. */
export async function anvilMetadataView(
  chain: Chain,
  fork: Fork | null,
  { version, compat }: RpcSettings,
): Promise<Readonly<Record<string, unknown>>> {
  const snapshots: Record<string, unknown> = {};
  for (const { id, head } of chain.snapshots.list()) {
    const block = await chain.block({ number: BigInt(head) });
    const name = typeof id === 'number' ? toQuantity(id) : id;
    snapshots[name] = [head, block === undefined ? null : toHex(block.hash)];
  }
  return {
    clientVersion: compat.metadataVersion(version),
    clientSemver: version,
    // A package does not contain the commit of its source.
    clientCommitSha: 'unknown',
    ...chainFields(chain),
    forkedNetwork: fork === null ? null : forkedNetwork(fork),
    snapshots,
  };
}

export function hardhatMetadataView(
  chain: Chain,
  fork: Fork | null,
  { version, compat }: RpcSettings,
): Readonly<Record<string, unknown>> {
  return {
    clientVersion: `node-cli/${version}`,
    ...chainFields(chain),
    ...(fork === null ? compat.noForkMetadata : { forkedNetwork: forkedNetwork(fork) }),
  };
}
