import {
  type Change,
  checkNextTimestamp,
  increaseTime,
  setNextTimestamp,
  setTime,
} from '../../../chain/controls.ts';
import { seconds } from '../../codecs/quantity.ts';
import { pointInTime } from '../../codecs/time.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { FORWARD, NULL, SECONDS, TIME_OFFSET, TIMESTAMP, TRUE } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';

/**
 * Makes the change on the chain that is called, and on those of the lanes in its group: they have one time. Returns the result
 * of the chain that is called.
 */
async function inStep<Result>(
  { chain, lanes, connection }: RpcContext,
  change: Change<Result>,
): Promise<Result> {
  const others = lanes === null || connection.key === undefined ? [] : lanes.lanes.inStepWith(connection.key);
  const [result] = await Promise.all([chain, ...others].map((each) => each.change(change)));
  return result as Result;
}

export const EVM_TIME: readonly Method[] = [
  /** Moves the chain's clock forward for good and gives how far it is ahead in all. The form follows the dialect. */
  defineMethod({
    name: 'evm_increaseTime',
    aliases: { anvil_increaseTime: SECONDS },
    summary: 'Moves the clock of the chain forward',
    differs: 'The total, never less than what was added: the clock does not stand still after a revert',
    params: [param('seconds', seconds)],
    result: { description: 'The total offset in seconds', schema: { type: ['string', 'number'] } },
    shape: TIME_OFFSET,
    handler: (context, offset) => inStep(context, increaseTime(offset)),
  }),
  /** Sets the timestamp (seconds since 1970) of the next block, once; time goes on from it. It must be after the head's, or not
   * before it with `--allow-blocks-with-same-timestamp`. */
  defineMethod({
    name: 'evm_setNextBlockTimestamp',
    aliases: { anvil_setNextBlockTimestamp: NULL, hardhat_setNextBlockTimestamp: TRUE },
    summary: 'Sets the timestamp of the next block',
    differs:
      "Must be later than the head's; an equal one is taken with `--allow-blocks-with-same-timestamp` alone",
    params: [param('timestamp', seconds)],
    result: { description: 'Nothing of meaning', schema: { type: ['string', 'boolean', 'null'] } },
    shape: TIMESTAMP,
    handler: async (context, timestamp) => {
      // No lane of a group is set where another one would refuse it.
      await inStep(context, checkNextTimestamp(timestamp));
      await inStep(context, setNextTimestamp(timestamp));
      return timestamp;
    },
  }),
  /** Sets the time of the chain, in seconds or (above 10^12) in milliseconds since 1970; it goes on from there. Set back, it
   * lets blocks be a second apart until it has caught up with them. */
  defineMethod({
    name: 'evm_setTime',
    aliases: { anvil_setTime: FORWARD },
    summary: 'Sets the time of the chain',
    differs: 'Values above 10^12 are milliseconds, others seconds; Ganache takes all for milliseconds',
    params: [param('time', pointInTime)],
    result: { description: 'The seconds by which it was moved', schema: { type: 'integer' } },
    handler: (context, timestamp) => inStep(context, setTime(timestamp)),
  }),
];
