import { address } from '../../codecs/data.ts';
import { defineMethod, param, SAME } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';

/** Ends the impersonation of an account; false when it was not impersonated by name. */
export const hardhat_stopImpersonatingAccount = defineMethod({
  name: 'hardhat_stopImpersonatingAccount',
  aliases: { anvil_stopImpersonatingAccount: NULL, ganache_stopImpersonatingAccount: SAME },
  summary: 'Ends the impersonation of an account',
  params: [param('address', address)],
  result: { description: 'True when the account was impersonated', schema: { type: 'boolean' } },
  example: { params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'], result: false },
  handler: ({ chain }, account) => chain.impersonation.remove(account),
});
