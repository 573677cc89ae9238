import { type BlockSelector, describeSelector, isPending } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { BlockNotFoundError, type SnapshotId, SnapshotNotFoundError } from '../../../chain/errors.ts';
import type { ForkPoint } from '../../../chain/snapshots/snapshots.ts';
import { LANE_KEY, LANE_KEY_WORDS, LaneExistsError, LaneNotFoundError } from '../../../node/lane-key.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { describeValue, exactObjectOf, historic, leaf, type Reading, refined } from '../../codecs/codec.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { snapshotId } from '../../codecs/settings.ts';
import { InvalidParamsError, LanesOffError, OtherLaneError } from '../../errors.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { LaneAccess, RpcContext } from '../../rpc-context.ts';

/** The lanes of the node. Throws a {@link LanesOffError} where it has none. */
export function requireLanes({ lanes }: RpcContext): LaneAccess {
  if (lanes === null) throw new LanesOffError();
  return lanes;
}

/**
 * The key of the lane that the caller means: the one it names, or the one that it calls. Throws an
 * {@link OtherLaneError} where that is another's, or it calls the base chain.
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

/** Where a lane is to begin: on a lane (`null` for the base chain), at a block, at a snapshot, or as that is now. */
export interface LaneBeginning {
  readonly lane: string | null;
  readonly block: BlockSelector | null;
  readonly snapshot: SnapshotId | null;
}

/** The key of a lane: the last segment of the path under which it is called. */
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
  (given): Reading<LaneBeginning> =>
    given.block !== null && given.snapshot !== null
      ? { path: ['snapshot'], expected: 'none beside a block: a lane begins at one of the two' }
      : { value: given },
);

/** The options of a new lane: where it begins, and its key. */
export const laneOptions = historic(
  exactObjectOf({ from: beginning, key: laneKey }, 'an object with from and key'),
);

const AS_THE_BASE: LaneBeginning = { lane: null, block: null, snapshot: null };

async function pointOf(chain: Chain, { block, snapshot }: LaneBeginning): Promise<ForkPoint> {
  if (snapshot !== null) return { snapshot };
  if (block === null) return 'present';
  if (isPending(block))
    throw new InvalidParamsError('options.from.block', 'a block that is mined', describeValue('pending'));
  // Nothing but blocks of the chain can be gone back to.
  const found = await chain.block('hash' in block ? { ...block, requireCanonical: true } : block);
  if (found === undefined) throw new BlockNotFoundError(describeSelector(block), chain.head().header.number);
  return { block: found.header.number };
}

/** The error as one that names the parameter, where it is about one. */
function namingParameter(error: unknown, key: string | null, { lane, snapshot }: LaneBeginning): unknown {
  const refusal = (name: string, expected: string, got: unknown): InvalidParamsError =>
    new InvalidParamsError(`options.${name}`, expected, describeValue(got));
  if (error instanceof LaneExistsError && key !== null)
    return refusal('key', 'a key that no lane has yet', key);
  if (error instanceof LaneNotFoundError) return refusal('from.lane', 'the key of a lane there is', lane);
  if (error instanceof SnapshotNotFoundError)
    return refusal('from.snapshot', 'a snapshot or checkpoint that is kept there', snapshot);
  return error;
}

export const LANE_LANES: readonly Method[] = [
  /**
   * Makes a lane: a chain of its own, called under its key as the path of the URL. It begins as the base chain is now, or
   * at a block or snapshot of the base chain or of another lane.
   */
  defineMethod({
    name: 'lane_create',
    summary: 'Makes a chain of its own out of the base chain or another lane',
    differs: 'No peer has it',
    params: [optional('options', laneOptions, null)],
    fork: { kind: 'own', because: 'a lane begins at a block of this chain' },
    asksBase: true,
    result: { description: 'The key of the lane', schema: { type: 'string' } },
    handler: async (context, options) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      const { key = null, from = null } = options ?? {};
      const own = context.connection.key ?? null;
      const isOthers = (named: string | null): boolean => named !== null && named !== own;
      if (areKeysSecret && (isOthers(key) || isOthers(from?.lane ?? null))) throw OtherLaneError.secret();
      const beginning = from ?? AS_THE_BASE;
      try {
        const chain = beginning.lane === null ? context.chain : lanes.chainOf(beginning.lane);
        const lane = await lanes.create(key ?? (areKeysSecret ? own : null), {
          lane: beginning.lane,
          point: await pointOf(chain, beginning),
        });
        return lane.key;
      } catch (error) {
        throw namingParameter(error, key, beginning);
      }
    },
  }),
  /**
   * Ends a lane; without a key the one that is called. The next call to its key gets a new one, made as the base chain is
   * then.
   */
  defineMethod({
    name: 'lane_drop',
    summary: 'Ends a lane',
    differs: 'No peer has it',
    params: [optional('key', laneKey, null)],
    asksBase: true,
    result: { description: 'False when there was no such lane', schema: { type: 'boolean' } },
    handler: (context, key) => {
      const access = requireLanes(context);
      return access.lanes.drop(requireLaneKey(context, access, key));
    },
  }),
  /** The lanes there are, in the order in which they were made; where keys are API keys, the caller's own alone. */
  defineMethod({
    name: 'lane_list',
    summary: 'The lanes there are',
    differs: 'No peer has it',
    params: [],
    asksBase: true,
    result: {
      description:
        'The key of each, the number of its head block, and what `lane_label` said of it, if anything',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            key: { type: 'string' },
            blockNumber: QUANTITY_JSON_SCHEMA,
            label: { type: 'object' },
          },
          required: ['key', 'blockNumber'],
        },
      },
    },
    handler: (context) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      const shown = lanes.list().filter(({ key }) => !areKeysSecret || key === context.connection.key);
      return shown.map(({ key, node, label }) => ({
        key,
        blockNumber: toQuantity(node.chain.head().header.number),
        ...(label && { label }),
      }));
    },
  }),
  /** Makes a lane what it was when it was made; without a key the lane that is called. */
  defineMethod({
    name: 'lane_reset',
    summary: 'Puts a lane back to where it began',
    differs: 'No peer has it',
    params: [optional('key', laneKey, null)],
    asksBase: true,
    result: { description: 'Nothing of meaning', schema: { type: 'null' } },
    handler: async (context, key) => {
      const access = requireLanes(context);
      try {
        await access.lanes.reset(requireLaneKey(context, access, key), context.call);
        return null;
      } catch (error) {
        if (key === null || !(error instanceof LaneNotFoundError)) throw error;
        throw new InvalidParamsError('key', 'the key of a lane there is', describeValue(key));
      }
    },
  }),
];
