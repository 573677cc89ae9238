import { setTimestampInterval } from '../../../chain/controls.ts';
import { seconds } from '../../codecs/quantity.ts';
import { blockCount } from '../../codecs/settings.ts';
import { blockTimeOf, intervalAmount } from '../../codecs/time.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import { blockTimeInSeconds, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

const SECOND = 1;

export const ANVIL_MINING: readonly Method[] = [
  /**
   * Mines blocks now. An interval moves the clock before each of them, the first too, for good. Long runs of empty blocks
   * are reserved, see `hardhat_mine`.
   */
  defineMethod({
    name: 'anvil_mine',
    summary: 'Mines blocks now',
    params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: async ({ chain, call }, count, interval) => {
      await chain.mineBulk(
        interval === null ? { count } : { count, interval: { seconds: interval, movesFirst: true } },
        call,
      );
    },
  }),
  /** True while each transaction is mined at once, whether there is a timer or not. */
  defineMethod({
    name: 'anvil_getAutomine',
    aliases: { hardhat_getAutomine: SAME, ganache_getAutomine: SAME },
    summary: 'Whether each transaction is mined at once',
    params: [],
    result: { description: 'True with instant mining', schema: { type: 'boolean' } },
    handler: ({ chain }) => chain.miner.automine,
  }),
  /** The seconds between blocks on the timer, bounds in milliseconds when each distance is drawn; `null` without a timer. */
  defineMethod({
    name: 'anvil_getIntervalMining',
    summary: 'The seconds between blocks on a timer',
    params: [],
    result: { description: 'The distance, or `null`', schema: INTERVAL_JSON_SCHEMA },
    handler: ({ chain }) => blockTimeInSeconds(chain.miner.blockTime),
  }),
  /**
   * Sets the seconds between blocks on a timer, or bounds in milliseconds between which each distance is drawn. 0 stops the
   * timer. Instant mining stays as it is, but in the dialect anvil it ends.
   */
  defineMethod({
    name: 'anvil_setIntervalMining',
    aliases: { ganache_setIntervalMining: TRUE },
    summary: 'Sets the seconds between blocks on a timer',
    params: [param('interval', intervalAmount)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain, settings }, interval) =>
      settings.compat.mining.setBlockTime(chain, blockTimeOf(interval, SECOND)),
  }),
  /** The timestamp of the first block, in seconds since 1970. */
  defineMethod({
    name: 'anvil_getGenesisTime',
    summary: 'The timestamp of the first block',
    params: [],
    result: { description: 'Seconds since 1970', schema: { type: 'integer' } },
    handler: async ({ chain }) => (await chain.view({ tag: 'earliest' })).block.header.timestamp,
  }),
  /** The time by the machine's clock at which the last block was made, whatever time the chain has; before any block that of the chain's start. */
  defineMethod({
    name: 'anvil_getLastBlockWallTime',
    summary: "When the last block was made by the machine's clock",
    params: [],
    result: { description: 'Milliseconds since 1970', schema: { type: 'integer' } },
    handler: ({ chain }) => chain.lastBlockTime.milliseconds,
  }),
  /** Sets the seconds from each block to the next, whatever the clock says; blocks stay at least a second apart. */
  defineMethod({
    name: 'anvil_setBlockTimestampInterval',
    aliases: { ganache_setBlockTimestampInterval: TRUE },
    summary: 'Sets the seconds from each block to the next',
    params: [param('interval', seconds)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, interval) => chain.change(setTimestampInterval(interval)),
  }),
  /** Lets blocks follow the clock again; false when no interval was set. */
  defineMethod({
    name: 'anvil_removeBlockTimestampInterval',
    aliases: { hardhat_removeBlockTimestampInterval: SAME, ganache_removeBlockTimestampInterval: SAME },
    summary: 'Lets blocks follow the clock again',
    params: [],
    result: { description: 'True when an interval was set', schema: { type: 'boolean' } },
    handler: async ({ chain }) => {
      const wasSet = chain.timestampInterval !== null;
      await chain.change(setTimestampInterval(null));
      return wasSet;
    },
  }),
];
