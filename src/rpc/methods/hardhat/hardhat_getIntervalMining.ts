import { defineMethod } from '../../method.ts';
import { blockTimeInMilliseconds, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

/** The milliseconds between blocks on the timer, bounds in milliseconds when each distance is drawn; `null` without a timer. */
export const hardhat_getIntervalMining = defineMethod({
  name: 'hardhat_getIntervalMining',
  summary: 'The milliseconds between blocks on a timer',
  differs: 'Not in Hardhat',
  params: [],
  result: { description: 'The distance, or `null`', schema: INTERVAL_JSON_SCHEMA },
  example: { params: [], result: null },
  handler: ({ chain }) => blockTimeInMilliseconds(chain.miner.blockTime),
});
