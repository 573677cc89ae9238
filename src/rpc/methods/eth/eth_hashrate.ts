import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/**
 * The sum of what miners reported with `eth_submitHashrate` in the last ten seconds. What the node itself searches
 * for its own blocks does not count.
 */
export const eth_hashrate = defineMethod({
  name: 'eth_hashrate',
  summary: 'The hashes per second of the miners of this node',
  params: [],
  result: { description: 'Hashes per second', schema: QUANTITY_JSON_SCHEMA },
  example: {
    before: [
      {
        method: 'eth_submitHashrate',
        params: [
          '0x0000000000000000000000000000000000000000000000000000000000500000',
          '0x59daa26581d0acd1fce254fb7e85952f4c09d0915afd33d3886cd914bc7d283c',
        ],
      },
    ],
    params: [],
    result: '0x500000',
  },
  handler: ({ chain }) => toQuantity(chain.hashrates.total()),
});
