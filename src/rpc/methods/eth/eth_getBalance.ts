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
    params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', 'latest'],
    result: '0x21e27c1806e59a40000',
  },
  handler: async ({ chain }, account, block) => {
    const { state } = await chain.view(block);
    return toQuantity(state.account(account)?.balance ?? 0n);
  },
});
