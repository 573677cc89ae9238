import { setMining, setTimestampInterval } from '../../../chain/controls.ts';
import { seconds } from '../../codecs/quantity.ts';
import { blockCount } from '../../codecs/settings.ts';
import { blockTimeOf, intervalAmount, wholeSecondsInMilliseconds } from '../../codecs/time.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';
import { blockTimeInMilliseconds, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

const DEFAULT_INTERVAL = 1;

const MILLISECOND = 0.001;

export const HARDHAT_MINING: readonly Method[] = [
  /**
   * Mines blocks now. The first follows the clock, or the timestamp that was set for it; the others are an interval apart,
   * after which time goes on from the last. The pool's transactions go into the first ones. When none is left and 128 or
   * more blocks are to come, all of these but the last are reserved: they are there, each made when it is asked for, but
   * their hashes are not the Keccak of their headers, and filters and subscribers do not get them.
   */
  defineMethod({
    name: 'hardhat_mine',
    summary: 'Mines blocks now, a second apart or as far as is said',
    params: [optional('blocks', blockCount, 1), optional('interval', seconds, null)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: async ({ chain, call }, count, interval) => {
      const distance = interval ?? (chain.timestampInterval === null ? DEFAULT_INTERVAL : 0);
      await chain.mineBulk({ count, interval: { seconds: distance, movesFirst: false } }, call);
    },
  }),
  /** The milliseconds between blocks on the timer, bounds in milliseconds when each distance is drawn; `null` without a timer. */
  defineMethod({
    name: 'hardhat_getIntervalMining',
    summary: 'The milliseconds between blocks on a timer',
    differs: 'Not in Hardhat',
    params: [],
    result: { description: 'The distance, or `null`', schema: INTERVAL_JSON_SCHEMA },
    handler: ({ chain }) => blockTimeInMilliseconds(chain.miner.blockTime),
  }),
  /** Sets the milliseconds between blocks on a timer, or bounds in milliseconds between which each distance is drawn. 0 stops the
   * timer; instant mining stays as it is. */
  defineMethod({
    name: 'hardhat_setIntervalMining',
    summary: 'Sets the milliseconds between blocks on a timer',
    differs: 'Not in Hardhat, where `evm_setIntervalMining` does it',
    params: [param('interval', intervalAmount)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ chain }, interval) =>
      chain.change(setMining({ blockTime: blockTimeOf(interval, MILLISECOND) })),
  }),
  /** Sets the time from each block to the next, in milliseconds as this family of names has it; it must be whole seconds. */
  defineMethod({
    name: 'hardhat_setBlockTimestampInterval',
    summary: 'Sets the milliseconds from each block to the next',
    differs: 'Not in Hardhat; viem sends it in that mode',
    params: [param('interval', wholeSecondsInMilliseconds)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ chain }, interval) => chain.change(setTimestampInterval(interval)),
  }),
];
