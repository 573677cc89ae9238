import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, optional, param } from '../../method.ts';

/** True for a contract. */
export const ots_hasCode = defineMethod({
  name: 'ots_hasCode',
  summary: 'Whether an account is a contract',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: { description: 'True for a contract', schema: { type: 'boolean' } },
  example: { params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'latest'], result: true },
  handler: async ({ chain }, account, selector) => {
    const { state } = await chain.view(selector);
    return (state.account(account)?.code.bytes.length ?? 0) > 0;
  },
});
