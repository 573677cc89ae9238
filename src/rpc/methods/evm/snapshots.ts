import { toQuantity } from '../../../primitives/hex.ts';
import { type Codec, type Decoded, objectOf, type Reading, refined } from '../../codecs/codec.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { checkpointName, newBlockNumber, snapshotId, upstreamUrl } from '../../codecs/settings.ts';
import { NoForkError, OwnUrlError } from '../../errors.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';

const TARGET_MEMBERS = ['jsonRpcUrl', 'blockNumber'] as const;
const TARGET = 'an object with jsonRpcUrl and blockNumber';
const RESET_OPTIONS = 'an object with forking, or with jsonRpcUrl and blockNumber, or no parameter';

const targetMembers = { jsonRpcUrl: upstreamUrl, blockNumber: newBlockNumber };

/** The requested fork of a reset. */
interface ResetTarget {
  /** `null` for the present URL. */
  readonly url: string | null;
  /** `null` if absent. */
  readonly blockNumber: number | 'latest' | null;
  /** The path of the URL in the parameters. */
  readonly urlPath: string;
}

/** Returns a codec that also rejects an object whose members are all unknown: a typo must not reset the chain. */
function withKnownMembers<T>(codec: Codec<T>, members: readonly string[], expected: string): Codec<T> {
  return {
    ...codec,
    read(value) {
      const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      const isUnknown = names.length > 0 && !members.some((name) => names.includes(name));
      return isUnknown ? { path: [], expected } : codec.read(value);
    },
  };
}

const forking = withKnownMembers(objectOf(targetMembers, TARGET), TARGET_MEMBERS, TARGET);

/** The options of a reset; `null` for the effect of no parameters. Null members count as absent. */
const resetOptions = withKnownMembers(
  refined(
    objectOf({ forking, ...targetMembers }, RESET_OPTIONS),
    ({ forking: nested, ...flat }): Reading<ResetTarget | null> => {
      const isFlat = flat.jsonRpcUrl !== null || flat.blockNumber !== null;
      if (nested !== null && isFlat)
        return {
          path: ['forking'],
          expected: 'no value together with jsonRpcUrl and blockNumber outside it',
        };
      if (nested === null && !isFlat) return { value: null };
      const { jsonRpcUrl: url, blockNumber } = nested ?? flat;
      const urlPath = nested === null ? 'options.jsonRpcUrl' : 'options.forking.jsonRpcUrl';
      return { value: { url, blockNumber, urlPath } };
    },
  ),
  ['forking', ...TARGET_MEMBERS],
  RESET_OPTIONS,
);

export type ResetOptions = Decoded<typeof resetOptions>;

/** Resets a chain with or without a fork to `target`. Rejects as `ForkReset` does. */
async function reset(
  { node: { chain, fork, forkReset }, services: { served }, settings: { compat }, call }: RpcContext,
  target: ResetTarget | null,
): Promise<void> {
  const isEmpty = target !== null && target.url === null && target.blockNumber === null;
  if (target === null || (isEmpty && (fork.current === null || !compat.resetsMoveForks))) {
    await (compat.resetsMoveForks ? forkReset.end(call) : chain.snapshots.reset(call));
    return;
  }
  const { url, blockNumber, urlPath } = target;
  if (url === null && fork.current === null) throw new NoForkError();
  if (url !== null && (await served.includes(url))) throw new OwnUrlError(urlPath);
  await forkReset.to({ url, blockNumber: blockNumber === 'latest' ? null : blockNumber }, call);
}

export const EVM_SNAPSHOTS: readonly Method[] = [
  /**
   * Saves the whole chain for evm_revert: blocks, pool, clock, mining mode, settings, impersonation. Ids
   * count up and are not reused. With a name, it creates a checkpoint, for any number of reverts.
   */
  defineMethod({
    name: 'evm_snapshot',
    aliases: { anvil_snapshot: SAME },
    summary: 'Creates a snapshot of the chain',
    differs:
      'The first id is 0x1. Each new id is one higher, and ids are never reused. A snapshot includes pool, clock, mining mode and impersonation. With a name, the method creates a checkpoint; the chain can be reverted to a checkpoint repeatedly',
    params: [optional('name', checkpointName, null)],
    result: {
      description: 'The id of the snapshot, or the name of the checkpoint',
      schema: { type: 'string' },
    },
    handler: async ({ node: { chain } }, name) => {
      if (name === null) return toQuantity(await chain.snapshots.take());
      await chain.snapshots.takeNamed(name);
      return name;
    },
  }),
  /** A snapshot expires with the revert, a checkpoint stays valid. Later ones expire. */
  defineMethod({
    name: 'evm_revert',
    aliases: { anvil_revert: SAME },
    summary: 'Reverts the chain to a snapshot or checkpoint',
    differs: 'Filters and subscriptions return the logs of removed blocks again, with `removed: true`',
    params: [param('snapshot', snapshotId)],
    result: { description: 'true if the chain was reverted', schema: { type: 'boolean' } },
    handler: ({ node: { chain }, call }, snapshot) => chain.snapshots.revert(snapshot, call),
  }),
  /** Later snapshots and checkpoints stay valid. */
  defineMethod({
    name: 'evm_deleteSnapshot',
    summary: 'Deletes a snapshot or a checkpoint',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('snapshot', snapshotId)],
    result: { description: 'true if the snapshot or checkpoint existed', schema: { type: 'boolean' } },
    handler: ({ node: { chain } }, snapshot) => chain.snapshots.remove(snapshot),
  }),
  defineMethod({
    name: 'evm_listSnapshots',
    summary: 'The snapshots and checkpoints of the chain',
    differs: 'Not in Anvil, Hardhat or Ganache',
    result: {
      description: 'The id or name of each snapshot, and its latest block number',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, blockNumber: QUANTITY_JSON_SCHEMA },
          required: ['id', 'blockNumber'],
        },
      },
    },
    handler: ({ node: { chain } }) =>
      chain.snapshots.list().map(({ id, head }) => ({
        id: typeof id === 'number' ? toQuantity(id) : id,
        blockNumber: toQuantity(head),
      })),
  }),
  /**
   * Resets the chain to the node's start: the pool is emptied, snapshots expire, clock and mining mode are
   * restored. With `forking`, it forks the node at `jsonRpcUrl`, or the current upstream, at a block or at
   * the newest. The compat mode determines the effect of an empty `forking` object and of no parameters.
   */
  defineMethod({
    name: 'evm_reset',
    aliases: { anvil_reset: NULL, hardhat_reset: TRUE, ganache_reset: TRUE },
    summary: 'Resets the chain to its start, or forks another chain',
    differs:
      'Without parameters, a fork returns to its start (with `--compat anvil` and `--compat hardhat`, the fork ends). `{forking: {}}` has the same effect (with `--compat anvil` and `--compat hardhat`, a fork moves to the newest block of its URL). Null members count as absent. `{jsonRpcUrl, blockNumber}` is accepted without `forking` too. `blockNumber` can be `latest`. URLs of this node are rejected. Hardhat 3 has no reset method',
    params: [optional<ResetOptions | null>('options', resetOptions, null)],
    // A URL may contain an API key.
    hidesParams: true,
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: async (context, target) => {
      await reset(context, target);
      return null;
    },
  }),
];
