import { hash32 } from '../../codecs/data.ts';
import { hashrate } from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';

/** Takes the hash rate that a miner reports of itself; `eth_hashrate` counts it for ten seconds. */
export const eth_submitHashrate = defineMethod({
  name: 'eth_submitHashrate',
  summary: 'Reports the hash rate of a miner',
  params: [param('hashrate', hashrate), param('clientId', hash32)],
  result: { description: 'True when the report was taken', schema: { type: 'boolean' } },
  example: {
    params: [
      '0x0000000000000000000000000000000000000000000000000000000000500000',
      '0x59daa26581d0acd1fce254fb7e85952f4c09d0915afd33d3886cd914bc7d283c',
    ],
    result: true,
  },
  handler: ({ chain }, rate, clientId) => {
    chain.hashrates.report(clientId, rate);
    return true;
  },
});
