import { boolean } from '../../codecs/basic.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Lets transactions be sent in the name of every account without its key; false ends it, but for those impersonated by name. */
export const anvil_autoImpersonateAccount = defineMethod({
  name: 'anvil_autoImpersonateAccount',
  aliases: { hardhat_autoImpersonateAccount: TRUE },
  summary: 'Lets transactions be sent in the name of every account, or no longer',
  params: [param('enabled', boolean)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: [true], result: null },
  handler: ({ chain }, enabled) => chain.impersonation.setAutomatic(enabled),
});
