import { padLeft } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, hash32, storageSlot } from '../../codecs/data.ts';
import { defineMethod, optional, param } from '../../method.ts';

/** The 32 bytes at a position of a contract's storage; zeros where nothing was stored. */
export const eth_getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  summary: "A word of a contract's storage",
  params: [
    param('address', address),
    param('position', storageSlot),
    optional('block', blockSelector, LATEST),
  ],
  result: { description: 'The word, 32 bytes', schema: hash32.jsonSchema },
  example: {
    params: ['0x5fbdb2315678afecb367f032d93f642f64180aa3', '0x0', 'latest'],
    result: '0x000000000000000000000000000000000000000000000000000000000000002a',
  },
  handler: async ({ chain }, contract, position, block) => {
    const { state } = await chain.view(block);
    return toHex(padLeft(state.storageAt(contract, position), 32));
  },
});
