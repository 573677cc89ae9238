import { toQuantity } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, optional, param } from '../../method.ts';

/** The balance of an account in the native currency, in wei; tokens do not count. */
export const eth_getBalance = defineMethod({
  name: 'eth_getBalance',
  summary: 'The balance of an account',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: { description: 'The balance in wei', schema: QUANTITY_JSON_SCHEMA },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'],
    result: '0x21e19e0c9bab2400000',
  },
  handler: async ({ chain }, account, block) => {
    const { state } = await chain.view(block);
    return toQuantity(state.account(account)?.balance ?? 0n);
  },
});
