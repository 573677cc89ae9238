import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { passphrase, rawKey } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Keeps a private key under the passphrase and leaves it unlocked for 30 minutes. For a key that the node has already
 * the passphrase replaces the earlier one; such an account stays unlocked if it was for good.
 */
export const personal_importRawKey = defineMethod({
  name: 'personal_importRawKey',
  summary: 'Imports a private key',
  params: [param('key', rawKey), param('passphrase', passphrase)],
  hidesParams: true,
  result: { description: 'The address', schema: address.jsonSchema },
  example: {
    params: ['c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4', 'open sesame'],
    result: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
  },
  handler: async (context, key, words) => {
    requireKeys(context, 'personal_importRawKey');
    return toHex(await context.chain.wallet.importKey(key, words));
  },
});
