import { padLeft } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, hash32, storageSlot } from '../../codecs/data.ts';
import { defineMethod, param, peerOptional } from '../../method.ts';

/** The 32 bytes at a position of a contract's storage; zeros where nothing was stored. */
export const eth_getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  summary: "A word of a contract's storage",
  params: [
    param('address', address),
    param('position', storageSlot),
    peerOptional('block', blockSelector, LATEST),
  ],
  result: { description: 'The word, 32 bytes', schema: hash32.jsonSchema },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', '0x0', 'latest'],
    result: '0x000000000000000000000000000000000000000000000000000000000000002a',
  },
  handler: async ({ chain }, contract, position, block) => {
    const { state } = await chain.view(block);
    return toHex(padLeft(state.storageAt(contract, position), 32));
  },
});
