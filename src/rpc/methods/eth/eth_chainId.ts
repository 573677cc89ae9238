import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** The chain id that transactions are signed for (EIP-155, EIP-695). */
export const eth_chainId = defineMethod({
  name: 'eth_chainId',
  summary: 'The chain id',
  params: [],
  result: { description: 'The chain id', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x21' },
  handler: ({ chain }) => toQuantity(chain.settings.chainId),
});
