import { padLeft } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { storageRequests } from '../../codecs/storage-requests.ts';
import { defineMethod, optional, param } from '../../method.ts';

const WORD = 32;

/** The values of several slots of several accounts after a block, each 32 bytes. */
export const eth_getStorageValues = defineMethod({
  name: 'eth_getStorageValues',
  summary: 'The values of several storage slots',
  params: [param('requests', storageRequests), optional('block', blockSelector, LATEST)],
  result: {
    description: 'The values under the addresses, in the order of the slots asked for',
    schema: { type: 'object', additionalProperties: { type: 'array', items: hash32.jsonSchema } },
  },
  example: {
    params: [{ '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512': ['0x0', '0x1'] }, 'latest'],
    result: {
      '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512': [
        '0x000000000000000000000000000000000000000000000000000000000000002a',
        '0x0000000000000000000000000000000000000000000000000000000000000000',
      ],
    },
  },
  handler: async ({ chain }, requests, selector) => {
    const { state } = await chain.view(selector);
    return Object.fromEntries(
      requests.map(([address, slots]) => [
        toHex(address),
        slots.map((slot) => toHex(padLeft(state.storageAt(address, slot), WORD))),
      ]),
    );
  },
});
