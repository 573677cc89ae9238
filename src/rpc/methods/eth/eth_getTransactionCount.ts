import { isPending } from '../../../chain/execution/block-selector.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, optional, param } from '../../method.ts';

/** The number of transactions that an account has sent; with `pending`, those in the pool count too. */
export const eth_getTransactionCount = defineMethod({
  name: 'eth_getTransactionCount',
  summary: 'The number of transactions an account has sent',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: { description: 'The number of transactions: the next nonce', schema: QUANTITY_JSON_SCHEMA },
  example: { params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'], result: '0x4' },
  handler: async ({ chain }, account, block) => {
    if (isPending(block)) return toQuantity(await chain.pendingNonce(account));
    const { state } = await chain.view(block);
    return toQuantity(state.account(account)?.nonce ?? 0n);
  },
});
