import type { SnapshotId } from '../../chain/errors.ts';
import type { BlockSelector } from '../../chain/execution/block-selector.ts';
import { LANE_KEY, LANE_KEY_WORDS } from '../../node/lane-key.ts';
import { blockSelector } from './block-selector.ts';
import { exactObjectOf, leaf, type Reading, refined } from './codec.ts';
import { snapshotId } from './settings.ts';

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

/** What a lane is made with: where it is to begin and the key that it is to have. */
export const laneOptions = exactObjectOf({ from: beginning, key: laneKey }, 'an object with from and key');
