import { LaneNotFoundError } from '../../../node/lane-key.ts';
import { describeValue } from '../../codecs/codec.ts';
import { laneKey } from '../../codecs/lane.ts';
import { InvalidParamsError } from '../../errors.ts';
import { requireLaneKey, requireLanes } from '../../lane-access.ts';
import { defineMethod, optional } from '../../method.ts';

/** Makes a lane what it was when it was made; without a key the lane that is called. */
export const lane_reset = defineMethod({
  name: 'lane_reset',
  summary: 'Puts a lane back to where it began',
  differs: 'No peer has it',
  params: [optional('key', laneKey, null)],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: {
    before: [{ method: 'lane_create', params: [{ key: 'tokens' }] }],
    params: ['tokens'],
    result: null,
  },
  handler: async (context, key) => {
    const access = requireLanes(context);
    try {
      await access.lanes.reset(requireLaneKey(context, access, key));
      return null;
    } catch (error) {
      if (key === null || !(error instanceof LaneNotFoundError)) throw error;
      throw new InvalidParamsError('key', 'the key of a lane there is', describeValue(key));
    }
  },
});
