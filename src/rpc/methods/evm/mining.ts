import { ResultBudget } from '../../../chain/execution/result-budget.ts';
import type { BuiltBlock } from '../../../chain/mining/block-builder.ts';
import type { MineOptions } from '../../../chain/mining/mine-series.ts';
import {
  type Change,
  checkNextTimestamp,
  increaseTime,
  setGasLimit,
  setNextTimestamp,
  setTime,
  stopMining,
} from '../../../chain/mining-controls.ts';
import { runTask } from '../../../scheduling/task.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { fetchingState } from '../../../state/state-source.ts';
import { baseEventReader } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { type Codec, chosenBy, objectOf, refined } from '../../codecs/codec.ts';
import { countUpTo, seconds } from '../../codecs/hex-values.ts';
import {
  blockCount,
  blockGasLimit,
  blockTimeOf,
  intervalAmount,
  pointInTime,
} from '../../codecs/settings.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { clientCheck } from '../../request-check.ts';
import { COMPAT_SETTER, FORWARD, NULL, SECONDS, TIME_OFFSET, TIMESTAMP, TRUE } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { detailed, minedBlockViews, roomForBlocks } from '../../views/mined-blocks.ts';

const timestampOnly: Codec<MineOptions> = refined(seconds, (timestamp) => ({ value: { timestamp } }));

const fieldsWith = (blocks: Codec<number>): Codec<MineOptions> =>
  refined(
    objectOf({ timestamp: seconds, blocks }, 'a timestamp, or an object with timestamp and blocks'),
    (given) => ({
      value: {
        ...(given.blocks === null ? {} : { count: given.blocks }),
        ...(given.timestamp === null ? {} : { timestamp: given.timestamp }),
      },
    }),
  );

const optionsWith = (blocks: Codec<number>): Codec<MineOptions> => {
  const fields = fieldsWith(blocks);
  return chosenBy(
    (value) => (typeof value === 'object' && value !== null ? fields : timestampOnly),
    [timestampOnly, fields],
  );
};

/** The options of evm_mine: a timestamp, or an object with `timestamp` and `blocks`. */
export const mineOptions = optionsWith(blockCount);

/** The options of mining if the response contains all blocks. */
export const detailedMineOptions = optionsWith(countUpTo(100_000, 'blocks', 0));

/** Changes this chain and the lanes of its group, which share one time. Returns the result of this chain. */
async function inStep<Result>(
  { node: { chain }, services: { lanes }, connection }: RpcContext,
  change: Change<Result>,
): Promise<Result> {
  const others = lanes === null || connection.key === undefined ? [] : lanes.lanes.inStepWith(connection.key);
  const [result] = await Promise.all([chain, ...others].map((each) => each.change(change)));
  return result as Result;
}

export const EVM_MINING: readonly Method[] = [
  /**
   * Mines one block or several; a timestamp is for the first. The result depends on the compat mode. In
   * compat mode `anvil`, transactions that do not fit are mined in further blocks, as in Anvil 1.8.5. Long
   * runs of empty blocks are reserved (see hardhat_mine).
   */
  defineMethod({
    name: 'evm_mine',
    aliases: { hardhat_intervalMine: TRUE },
    summary: 'Mines blocks immediately',
    differs:
      'Accepts an object with `blocks` and `timestamp`; both are optional. The first new block has this `timestamp`, and each later block is one second later. With `--compat anvil`, pending transactions that do not fit into these blocks are mined in additional blocks',
    params: [optional('options', mineOptions, {})],
    result: { description: 'No meaningful value', schema: { type: ['string', 'null'] } },
    handler: async ({ node: { chain }, settings, connection, call }, options) => {
      const drainsPool = settings.compat.mineDrainsPool;
      await chain.mineBulk({ ...options, drainsPool, requireClient: clientCheck(connection) }, call);
      return settings.compat.mineResult;
    },
  }),
  /**
   * Mines as evm_mine does and returns the blocks with full transactions, their return data (`output`) and
   * the reason of a failure (`revertReason`). Outputs may have 32 MiB in total; later ones are omitted
   * together with their reasons. If the response becomes too long, further blocks have only transaction
   * hashes. In a batch, it is rejected before mining if even the hashes may be too long.
   */
  defineMethod({
    name: 'evm_mine_detailed',
    aliases: { anvil_mine_detailed: SAME, anvil_mineDetailed: SAME },
    summary: 'Mines blocks immediately and returns them',
    differs:
      'Each transaction contains its return data as `output`. If the outputs exceed 32 MiB in total, further outputs are omitted. If the response becomes too large, the remaining blocks contain only transaction hashes',
    params: [optional('options', detailedMineOptions, {})],
    result: { description: 'The blocks', schema: { type: 'array', items: { type: 'object' } } },
    handler: async (context, options) => {
      const { chain } = context.node;
      const { settings, connection, deadline, call } = context;
      const requireClient = clientCheck(connection);
      const room = roomForBlocks(context, options);
      const budget = new ResultBudget();
      const baseEventIn = await baseEventReader(context);
      // On a fork the first event must be fetched before mining, because a fetch restarts the handler.
      if (baseEventIn !== null) await fetchingState(() => baseEventIn(chain.headState()));
      const kept = (built: BuiltBlock) => detailed(built, budget, baseEventIn);
      const drainsPool = settings.compat.mineDrainsPool;
      const made = await chain.mineDetailed({ ...options, drainsPool, requireClient }, kept, call);
      const parts = {
        rules: chain.ruleSet,
        fieldNames: settings.fieldNames,
        room,
      };
      // Yields like the chain, but ignores the request's time limit, because the blocks are mined already.
      const slice = new TimeSlice(requireClient, undefined, deadline.yielder);
      return runTask(minedBlockViews(made, parts), slice);
    },
  }),
  /**
   * Switches automining. Switching it on mines the pool in one block; in compat mode `hardhat`, with the next
   * transaction. Interval mining is unchanged, except in compat mode `anvil`, where switching automining on
   * stops it.
   */
  defineMethod({
    name: 'evm_setAutomine',
    aliases: { anvil_setAutomine: NULL, hardhat_setAutomine: TRUE, ganache_setAutomine: TRUE },
    summary: 'Switches automine on or off',
    differs:
      'When automine is switched on, pending transactions are mined in one block (with `--compat hardhat`, only together with the next transaction). With `--compat anvil`, switching automine on also stops interval mining; in other modes, interval mining stays unchanged',
    params: [param('enabled', boolean)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: COMPAT_SETTER,
    handler: ({ node: { chain }, settings, call }, enabled) =>
      settings.compat.mining.setAutomine(chain, enabled, call),
  }),
  /** Pool transactions with a higher gas limit are dropped. */
  defineMethod({
    name: 'evm_setBlockGasLimit',
    aliases: { anvil_setBlockGasLimit: TRUE, hardhat_setBlockGasLimit: TRUE, ganache_setBlockGasLimit: TRUE },
    summary: 'Sets the gas limit of the next blocks',
    differs: 'Rejects 0. Drops pending transactions whose gas limit is above the new block gas limit',
    params: [param('gasLimit', blockGasLimit)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ node: { chain } }, gasLimit) => chain.change(setGasLimit(gasLimit)),
  }),
  /**
   * Sets the time between blocks in seconds, or in milliseconds in compat mode `hardhat`. Bounds for random
   * intervals are always in milliseconds. 0 stops interval mining. Automining is unchanged, except in compat
   * mode `anvil`, where it ends.
   */
  defineMethod({
    name: 'evm_setIntervalMining',
    summary: 'Sets the block interval in seconds (with `--compat hardhat`, in milliseconds)',
    differs:
      '0 stops interval mining. With `--compat anvil`, the call also stops automine; in other modes, automine stays unchanged. A range `[minimum, maximum]` is always in milliseconds',
    params: [param('interval', intervalAmount)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: COMPAT_SETTER,
    handler: ({ node: { chain }, settings }, interval) =>
      settings.compat.mining.setBlockTime(chain, blockTimeOf(interval, settings.compat.intervalUnit)),
  }),
  /** Restores the mining mode of the node's start, and mines the executable transactions of the pool. */
  defineMethod({
    name: 'evm_startMining',
    aliases: { miner_start: TRUE },
    summary: 'Starts mining',
    differs: {
      miner_start:
        'Restores the mining mode that the node had at start, and mines pending transactions. A thread count as parameter is rejected',
    },
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: async ({ node: { chain }, call }) => {
      await chain.startMining(call);
      return null;
    },
  }),
  /** Stops automining and interval mining. */
  defineMethod({
    name: 'evm_stopMining',
    aliases: { miner_stop: TRUE },
    summary: 'Stops mining',
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: async ({ node: { chain } }) => {
      await chain.change(stopMining());
      return null;
    },
  }),
  /** Moves the clock permanently and returns its total offset. The form depends on the compat mode. */
  defineMethod({
    name: 'evm_increaseTime',
    aliases: { anvil_increaseTime: SECONDS },
    summary: "Moves the chain's clock forward",
    differs:
      'Returns the total offset of the clock, not only the added seconds. A revert restores the offset that the clock had at the snapshot. The real time that passed since the snapshot is not reverted',
    params: [param('seconds', seconds)],
    result: { description: 'The total offset in seconds', schema: { type: ['string', 'number'] } },
    shape: TIME_OFFSET,
    handler: (context, offset) => inStep(context, increaseTime(offset)),
  }),
  /**
   * Sets the timestamp (seconds since 1970) of the next block only; the clock continues from it. It must be
   * later than the head's timestamp, or equal with `--allow-blocks-with-same-timestamp`.
   */
  defineMethod({
    name: 'evm_setNextBlockTimestamp',
    aliases: { anvil_setNextBlockTimestamp: NULL, hardhat_setNextBlockTimestamp: TRUE },
    summary: 'Sets the timestamp of the next block',
    differs:
      'The new timestamp must be later than the timestamp of the head block. With `--allow-blocks-with-same-timestamp`, both timestamps may be equal',
    params: [param('timestamp', seconds)],
    result: { description: 'No meaningful value', schema: { type: ['string', 'boolean', 'null'] } },
    shape: TIMESTAMP,
    handler: async (context, timestamp) => {
      // Checks all lanes of the group first, so that either all are set or none.
      await inStep(context, checkNextTimestamp(timestamp));
      await inStep(context, setNextTimestamp(timestamp));
      return timestamp;
    },
  }),
  /**
   * Sets the chain's clock, in seconds or (above 10^12) in milliseconds since 1970; the clock continues from
   * it. After setting it back, blocks are one second apart until the clock has caught up.
   */
  defineMethod({
    name: 'evm_setTime',
    aliases: { anvil_setTime: FORWARD },
    summary: "Sets the chain's clock",
    differs:
      'A value above 10^12 is in milliseconds; other values are in seconds. Ganache reads all values as milliseconds',
    params: [param('time', pointInTime)],
    result: { description: 'The change of the clock in seconds', schema: { type: 'integer' } },
    handler: (context, timestamp) => inStep(context, setTime(timestamp)),
  }),
];
