import { BlockNotFoundError, SnapshotNotFoundError } from '../../../chain/errors.ts';
import { describeSelector, isPending } from '../../../chain/execution/block-selector.ts';
import type { ForkPoint } from '../../../chain/snapshots/snapshots.ts';
import type { Chain } from '../../../node/chain.ts';
import { LaneExistsError, LaneNotFoundError } from '../../../node/lane-key.ts';
import { describeValue } from '../../codecs/codec.ts';
import { type LaneBeginning, laneOptions } from '../../codecs/lane.ts';
import { InvalidParamsError, OtherLaneError } from '../../errors.ts';
import { requireLanes } from '../../lane-access.ts';
import { defineMethod, optional } from '../../method.ts';

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

/**
 * Makes a lane: a chain of its own, called under its key as the path of the URL. It begins as the base chain is now, or
 * at a block or snapshot of the base chain or of another lane.
 */
export const lane_create = defineMethod({
  name: 'lane_create',
  summary: 'Makes a chain of its own out of the base chain or another lane',
  differs: 'No peer has it',
  params: [optional('options', laneOptions, null)],
  result: { description: 'The key of the lane', schema: { type: 'string' } },
  example: { params: [{ key: 'tokens', from: { block: '0x2' } }], result: 'tokens' },
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
});
