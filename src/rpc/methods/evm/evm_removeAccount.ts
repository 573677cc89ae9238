import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { passphrase } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/** Forgets an account and its key; false for one that the node does not know. */
export const evm_removeAccount = defineMethod({
  name: 'evm_removeAccount',
  summary: 'Forgets an account of the node',
  params: [param('address', address), param('passphrase', passphrase)],
  hidesParams: true,
  result: { description: 'True when the account was there', schema: { type: 'boolean' } },
  example: {
    before: [
      { method: 'evm_addAccount', params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'passphrase'] },
    ],
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'passphrase'],
    result: true,
  },
  handler: (context, account, words) => {
    requireKeys(context, 'evm_removeAccount');
    return context.chain.wallet.remove(account, words);
  },
});
