import { defineMethod } from '../../method.ts';
import { blockTimeInSeconds, INTERVAL_JSON_SCHEMA } from '../../views/node-info.ts';

/** The seconds between blocks on the timer, bounds in milliseconds when each distance is drawn; `null` without a timer. */
export const anvil_getIntervalMining = defineMethod({
  name: 'anvil_getIntervalMining',
  summary: 'The seconds between blocks on a timer',
  params: [],
  result: { description: 'The distance, or `null`', schema: INTERVAL_JSON_SCHEMA },
  example: { params: [], result: null },
  handler: ({ chain }) => blockTimeInSeconds(chain.miner.blockTime),
});
