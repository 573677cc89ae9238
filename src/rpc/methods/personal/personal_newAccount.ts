import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { passphrase } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/** Makes an account with a random key, keeps it under the passphrase, and leaves it unlocked for 30 minutes. */
export const personal_newAccount = defineMethod({
  name: 'personal_newAccount',
  summary: 'Makes an account with a random key',
  params: [param('passphrase', passphrase)],
  hidesParams: true,
  result: { description: 'The address', schema: address.jsonSchema },
  example: { params: ['open sesame'], result: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1' },
  handler: async (context, words) => {
    requireKeys(context, 'personal_newAccount');
    return toHex(await context.chain.wallet.createAccount(words));
  },
});
