import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { passphrase } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Ganache's way to impersonate an account: it is listed, and while personal_unlockAccount keeps it unlocked,
 * transactions are sent in its name without its key. False for an account that the node knows already.
 */
export const evm_addAccount = defineMethod({
  name: 'evm_addAccount',
  summary: 'Adds an account without a key, locked under a passphrase',
  params: [param('address', address), param('passphrase', passphrase)],
  hidesParams: true,
  result: { description: 'True when the account was not there before', schema: { type: 'boolean' } },
  example: { params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'passphrase'], result: true },
  handler: (context, account, words) => {
    requireKeys(context, 'evm_addAccount');
    return context.chain.wallet.addWithoutKey(account, words);
  },
});
