import { boolean, textUpTo } from '../../codecs/basic.ts';
import { describeValue, exactObjectOf, leaf } from '../../codecs/codec.ts';
import { InvalidParamsError, OtherLaneError } from '../../errors.ts';
import { LaneExistsError, LaneNotFoundError } from '../../lanes/errors.ts';
import { LANE_OUTCOMES, type LaneLabel } from '../../lanes/lane.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { laneKey, requireLaneKey, requireLanes } from './lanes.ts';

const MAX_CHARACTERS = 4_000;

const words = textUpTo(MAX_CHARACTERS, 'a string');

const outcome = leaf(
  `one of ${LANE_OUTCOMES.map((each) => `'${each}'`).join(', ')}`,
  { enum: LANE_OUTCOMES },
  (value) => LANE_OUTCOMES.find((each) => each === value),
);

const label = exactObjectOf({ name: words, outcome, note: words }, 'an object with name, outcome and note');

function isEmpty({ name, outcome, note }: LaneLabel): boolean {
  return name === null && outcome === null && note === null;
}

export const LANE_LABELS: readonly Method[] = [
  /**
   * Labels a lane with its purpose and outcome, for lane_list and the explorer. Test runners set the name of
   * the test, and whether it failed. An empty object removes the label. Without a key, it labels the lane of
   * the request.
   */
  defineMethod({
    name: 'lane_label',
    summary: 'Labels a lane with a name and an outcome',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('label', label), optional('key', laneKey, null)],
    asksBase: true,
    isLogged: false,
    result: { description: 'True', schema: { const: true } },
    handler: (context, said, key) => {
      const access = requireLanes(context);
      try {
        access.lanes.label(requireLaneKey(context, access, key), isEmpty(said) ? null : said);
        return true;
      } catch (error) {
        if (key === null || !(error instanceof LaneNotFoundError)) throw error;
        throw new InvalidParamsError('key', 'the key of an existing lane', describeValue(key));
      }
    },
  }),
  /**
   * Changes the key of a lane, with its blocks, snapshots, failures and label. A request to the old key then
   * creates a new lane. Test runners use it to keep a finished lane, if the next test file uses the same URL.
   * Gas reports and profiles move to the new key; without `movesMeasures`, they stay under the old key.
   */
  defineMethod({
    name: 'lane_rename',
    summary: 'Changes the key of a lane',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('key', laneKey), param('newKey', laneKey), optional('movesMeasures', boolean, true)],
    asksBase: true,
    result: { description: 'True', schema: { const: true } },
    handler: (context, key, newKey, movesMeasures) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      if (areKeysSecret) throw OtherLaneError.secret();
      try {
        lanes.rename(key, newKey, movesMeasures);
        return true;
      } catch (error) {
        if (error instanceof LaneNotFoundError)
          throw new InvalidParamsError('key', 'the key of an existing lane', describeValue(key));
        if (error instanceof LaneExistsError)
          throw new InvalidParamsError('newKey', 'an unused lane key', describeValue(newKey));
        throw error;
      }
    },
  }),
];
