import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Lets transactions be sent in the name of an account, a contract too, whose key is not held. It still pays for them. */
export const anvil_impersonateAccount = defineMethod({
  name: 'anvil_impersonateAccount',
  aliases: { hardhat_impersonateAccount: TRUE, ganache_impersonateAccount: TRUE },
  summary: 'Lets transactions be sent in the name of an account without its key',
  differs: {
    hardhat_impersonateAccount: 'The account pays for what it sends',
  },
  params: [param('address', address)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'], result: null },
  handler: ({ chain }, account) => chain.impersonation.add(account),
});
