import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { rawKey } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';

/** The private key of an unlocked account. */
export const personal_dumpRawKey = defineMethod({
  name: 'personal_dumpRawKey',
  summary: 'The private key of an unlocked account',
  hidesParams: true,
  params: [param('address', address)],
  result: { description: 'The private key, 32 bytes', schema: rawKey.jsonSchema },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
    result: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
  handler: (context, account) => {
    requireKeys(context, 'personal_dumpRawKey');
    return toHex(context.chain.wallet.privateKey(account));
  },
});
