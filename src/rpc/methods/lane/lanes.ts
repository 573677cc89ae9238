import { type BlockSelector, describeSelector, isPending } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { BlockNotFoundError, type SnapshotId, SnapshotNotFoundError } from '../../../chain/errors.ts';
import type { ForkPoint } from '../../../chain/snapshots/snapshots.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import type { RuleSetName } from '../../../protocol/hardforks/registry.ts';
import { hardfork } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { describeValue, exactObjectOf, historic, leaf, type Reading, refined } from '../../codecs/codec.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { chainId, forkBlockNumber, snapshotId, upstreamUrl } from '../../codecs/settings.ts';
import { InvalidParamsError, LanesOffError, OtherLaneError } from '../../errors.ts';
import { LaneExistsError, LaneNotFoundError } from '../../lanes/errors.ts';
import { LANE_KEY, LANE_KEY_WORDS, type LaneOrigin, type Lanes } from '../../lanes/lane.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { LaneAccess, RpcContext } from '../../rpc-context.ts';

/** Returns the lanes of the node. Throws {@link LanesOffError} if the node has none. */
export function requireLanes({ services: { lanes } }: RpcContext): LaneAccess {
  if (lanes === null) throw new LanesOffError();
  return lanes;
}

/**
 * Returns the key of the named lane, or of the lane of the request. Throws {@link OtherLaneError} if it
 * belongs to another client, or for a request to the base chain without a key.
 */
export function requireLaneKey(
  { connection: { key } }: RpcContext,
  access: LaneAccess,
  named: string | null,
): string {
  if (named === null && key === undefined) throw OtherLaneError.none();
  if (access.areKeysSecret && named !== null && named !== key) throw OtherLaneError.secret();
  return named ?? key ?? '';
}

/** The start of a lane: a block, a snapshot or the current state of a lane (`null` for the base chain). */
export interface LaneStart {
  readonly lane: string | null;
  readonly block: BlockSelector | null;
  readonly snapshot: SnapshotId | null;
}

/** The key of a lane: the last segment of its URL path. */
export const laneKey = leaf(
  `the key of a lane: ${LANE_KEY_WORDS}`,
  { type: 'string', pattern: LANE_KEY.source },
  (value) => (typeof value === 'string' && LANE_KEY.test(value) ? value : undefined),
);

const beginning = refined(
  exactObjectOf(
    { lane: laneKey, block: blockSelector, snapshot: snapshotId },
    'an object with lane, and block or snapshot',
  ),
  (given): Reading<LaneStart> =>
    given.block !== null && given.snapshot !== null
      ? { path: ['snapshot'], expected: 'no snapshot, because block already sets the start of the lane' }
      : { value: given },
);

/** The options of a lane with its own genesis or fork. */
const OF_OWN_CHAINS = ['hardfork', 'forkUrl', 'forkBlockNumber'] as const;

/** The options of a new lane: its start or its own chain, its key, and its group. */
export const laneOptions = historic(
  refined(
    exactObjectOf(
      {
        from: beginning,
        key: laneKey,
        chainId,
        hardfork,
        forkUrl: upstreamUrl,
        forkBlockNumber,
        group: laneKey,
      },
      'an object with from, key, chainId, hardfork, forkUrl, forkBlockNumber and group',
    ),
    (given): Reading<LaneOptions> => {
      const isOwn = OF_OWN_CHAINS.some((name) => given[name] !== null);
      return isOwn && given.from !== null
        ? {
            path: ['from'],
            expected: `no value together with ${OF_OWN_CHAINS.join(', ')}, because a lane with one of these options has its own first block`,
          }
        : { value: given };
    },
  ),
);

/** The options of a new lane; `null` if absent. */
interface LaneOptions {
  readonly from: LaneStart | null;
  readonly key: string | null;
  readonly chainId: number | null;
  readonly hardfork: RuleSetName | null;
  readonly forkUrl: string | null;
  readonly forkBlockNumber: number | null;
  readonly group: string | null;
}

const NO_OPTIONS: LaneOptions = {
  from: null,
  key: null,
  chainId: null,
  hardfork: null,
  forkUrl: null,
  forkBlockNumber: null,
  group: null,
};

const AS_THE_BASE: LaneStart = { lane: null, block: null, snapshot: null };

const FROM_BLOCK = 'options.from.block';

/** Throws {@link InvalidParamsError} for a number below the first block of the chain: the genesis or fork block. */
function requireOwn({ blocks }: Chain, block: BlockSelector): void {
  if (!('number' in block) || block.number >= blocks.first) return;
  const expected = `block ${blocks.first} or a later block (for an older block of the forked chain, pass forkBlockNumber)`;
  throw new InvalidParamsError(FROM_BLOCK, expected, `block ${block.number}`);
}

async function pointOf(chain: Chain, { block, snapshot }: LaneStart): Promise<ForkPoint> {
  if (snapshot !== null) return { snapshot };
  if (block === null) return 'present';
  if (isPending(block)) throw new InvalidParamsError(FROM_BLOCK, 'a mined block', describeValue('pending'));
  requireOwn(chain, block);
  // A lane can start only at canonical blocks.
  const found = await chain.block('hash' in block ? { ...block, requireCanonical: true } : block);
  if (found === undefined) throw new BlockNotFoundError(describeSelector(block), chain.head().header.number);
  return { block: found.header.number };
}

/** Resolves to the origin of a lane with these options. Rejects if the block does not exist. */
async function originOf(context: RpcContext, lanes: Lanes, options: LaneOptions): Promise<LaneOrigin> {
  const { chainId: id, hardfork: name, forkUrl: url, forkBlockNumber: blockNumber } = options;
  if (OF_OWN_CHAINS.some((option) => options[option] !== null)) {
    const fork = url === null && blockNumber === null ? null : { url, blockNumber };
    return { own: { chainId: id, hardfork: name, fork } };
  }
  const from = options.from ?? AS_THE_BASE;
  const chain = from.lane === null ? context.node.chain : lanes.chainOf(from.lane);
  return { lane: from.lane, point: await pointOf(chain, from), chainId: id };
}

/** Converts an error about a parameter to an error with its path. */
function namingParameter(error: unknown, key: string | null, { lane, snapshot }: LaneStart): unknown {
  const refusal = (name: string, expected: string, got: unknown): InvalidParamsError =>
    new InvalidParamsError(`options.${name}`, expected, describeValue(got));
  if (error instanceof LaneExistsError && key !== null) return refusal('key', 'an unused lane key', key);
  if (error instanceof LaneNotFoundError) return refusal('from.lane', 'the key of an existing lane', lane);
  if (error instanceof SnapshotNotFoundError)
    return refusal('from.snapshot', 'an existing snapshot or checkpoint', snapshot);
  return error;
}

export const LANE_LANES: readonly Method[] = [
  /**
   * Creates a lane: an isolated chain with its key as URL path. It starts at the current state of the base
   * chain, or at a block or snapshot of the base chain or another lane (`from`). `chainId` sets another chain
   * id. With another `hardfork`, or as a fork of the chain at `forkUrl`, it has its own first block, and the
   * base chain's other start settings. Methods that set the time of a lane set the time of its whole `group`.
   */
  defineMethod({
    name: 'lane_create',
    summary: 'Creates a lane from the base chain or another lane',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [optional('options', laneOptions, null)],
    fork: { kind: 'own', because: 'a lane starts at a block of this chain' },
    asksBase: true,
    result: { description: 'The key of the lane', schema: { type: 'string' } },
    handler: async (context, options) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      const given = options ?? NO_OPTIONS;
      const { key, from, group } = given;
      const own = context.connection.key ?? null;
      const isOthers = (named: string | null): boolean => named !== null && named !== own;
      // Keys are secret then, and a group would have a shared key.
      if (areKeysSecret && (isOthers(key) || isOthers(from?.lane ?? null) || group !== null))
        throw OtherLaneError.secret();
      try {
        const chosen = key ?? (areKeysSecret ? own : null);
        const lane = await lanes.create(chosen, await originOf(context, lanes, given), group);
        return lane.key;
      } catch (error) {
        throw namingParameter(error, key, from ?? AS_THE_BASE);
      }
    },
  }),
  /** Without a key, it closes the lane of the request. The next request to the key creates a new lane. */
  defineMethod({
    name: 'lane_drop',
    summary: 'Deletes a lane',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [optional('key', laneKey, null)],
    asksBase: true,
    result: { description: 'false if the lane did not exist', schema: { type: 'boolean' } },
    handler: (context, key) => {
      const access = requireLanes(context);
      return access.lanes.drop(requireLaneKey(context, access, key));
    },
  }),
  /** Oldest lanes first. If keys are API keys, it returns only the client's own lane. */
  defineMethod({
    name: 'lane_list',
    summary: 'The lanes of the node',
    priority: 'high',
    differs: 'Not in Anvil, Hardhat or Ganache',
    asksBase: true,
    result: {
      description:
        'For each lane, the key and the latest block number. If set, also the label of `lane_label` and the group. The chain id is included if it differs from the chain id of the base chain',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            key: { type: 'string' },
            blockNumber: QUANTITY_JSON_SCHEMA,
            chainId: QUANTITY_JSON_SCHEMA,
            group: { type: 'string' },
            label: { type: 'object' },
          },
          required: ['key', 'blockNumber'],
        },
      },
    },
    handler: (context) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      const shown = lanes.list().filter(({ key }) => !areKeysSecret || key === context.connection.key);
      return shown.map(({ key, node, group, label }) => ({
        key,
        blockNumber: toQuantity(node.chain.head().header.number),
        ...(node.chain.settings.chainId !== context.node.chain.settings.chainId && {
          chainId: toQuantity(node.chain.settings.chainId),
        }),
        ...(group !== null && { group }),
        ...(label && { label }),
      }));
    },
  }),
  /** Without a key, it resets the lane of the request. */
  defineMethod({
    name: 'lane_reset',
    summary: 'Resets a lane to its start',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [optional('key', laneKey, null)],
    asksBase: true,
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: async (context, key) => {
      const access = requireLanes(context);
      try {
        await access.lanes.reset(requireLaneKey(context, access, key), context.call);
        return null;
      } catch (error) {
        if (key === null || !(error instanceof LaneNotFoundError)) throw error;
        throw new InvalidParamsError('key', 'the key of an existing lane', describeValue(key));
      }
    },
  }),
];
