import { arrayOf } from '../../codecs/codec.ts';
import { address } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, optional } from '../../method.ts';

/** What the node can do beyond sending transactions (EIP-5792): nothing, so that clients do not ask for it. */
export const wallet_getCapabilities = defineMethod({
  name: 'wallet_getCapabilities',
  summary: 'What the node can do beyond sending transactions: nothing',
  differs: 'No peer has it',
  params: [
    optional('address', address, null),
    optional('chainIds', arrayOf(quantity, 'an array of chain ids'), null),
  ],
  result: { description: 'An empty object', schema: { type: 'object' } },
  example: { params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'], result: {} },
  handler: () => ({}),
});
