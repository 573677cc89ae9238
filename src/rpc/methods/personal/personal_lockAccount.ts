import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** Locks an account: the node signs nothing with it until it is unlocked again. */
export const personal_lockAccount = defineMethod({
  name: 'personal_lockAccount',
  summary: 'Locks an account',
  hidesParams: true,
  params: [param('address', address)],
  result: { description: 'True when the account was unlocked', schema: { type: 'boolean' } },
  example: { params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'], result: true },
  handler: (context, account) => {
    requireKeys(context, 'personal_lockAccount');
    return context.chain.wallet.lock(account);
  },
});
