import { laneKey } from '../../codecs/lane.ts';
import { requireLaneKey, requireLanes } from '../../lane-access.ts';
import { defineMethod, optional } from '../../method.ts';

/**
 * Ends a lane; without a key the one that is called. Whoever calls its key next gets a new one, made as the base chain is
 * then.
 */
export const lane_drop = defineMethod({
  name: 'lane_drop',
  summary: 'Ends a lane',
  differs: 'No peer has it',
  params: [optional('key', laneKey, null)],
  result: { description: 'False when there was no such lane', schema: { type: 'boolean' } },
  example: {
    before: [{ method: 'lane_create', params: [{ key: 'tokens' }] }],
    params: ['tokens'],
    result: true,
  },
  handler: (context, key) => {
    const access = requireLanes(context);
    return access.lanes.drop(requireLaneKey(context, access, key));
  },
});
