import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { seedText } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Makes the account whose key is the Keccak of the seed text (UTF-8): the same seed gives the same account on every
 * node. It has no passphrase and is unlocked until it is locked; the empty passphrase unlocks it again.
 */
export const personal_newAccountWithSeed = defineMethod({
  name: 'personal_newAccountWithSeed',
  summary: 'Makes the account of a seed text',
  params: [param('seed', seedText)],
  hidesParams: true,
  result: { description: 'The address', schema: address.jsonSchema },
  example: { params: ['cow'], result: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826' },
  handler: (context, seed) => {
    requireKeys(context, 'personal_newAccountWithSeed');
    return toHex(context.chain.wallet.addSeedAccount(seed));
  },
});
