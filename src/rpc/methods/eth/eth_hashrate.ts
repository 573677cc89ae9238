import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** Zero: blocks of this node cost no work. */
export const eth_hashrate = defineMethod({
  name: 'eth_hashrate',
  summary: 'The hashes per second of the miner',
  params: [],
  result: { description: 'Hashes per second', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: () => '0x0',
});
