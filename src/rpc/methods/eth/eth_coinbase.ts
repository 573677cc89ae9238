import { toHex } from '../../../primitives/hex.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/** The address that the blocks of this node pay fees to. */
export const eth_coinbase = defineMethod({
  name: 'eth_coinbase',
  summary: 'The address that gets the fees of mined blocks',
  params: [],
  result: { description: 'The address', schema: address.jsonSchema },
  example: { params: [], result: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d' },
  handler: ({ chain }) => toHex(chain.settings.coinbase),
});
