import { MessageSignerNotFoundError } from '../../../wallet/errors.ts';
import { messageHash } from '../../../wallet/message-signer.ts';
import { requireKeys, signatureHex, signWithAccount } from '../../accounts.ts';
import { address, data } from '../../codecs/data.ts';
import { passphrase } from '../../codecs/secrets.ts';
import { defineMethod, optional, param } from '../../method.ts';

/**
 * Signs a message, prefixed so that it cannot be a transaction (EIP-191): `eth_sign` with its parameters the other way
 * round. With a passphrase the account may be locked, and stays so; without one it must be unlocked.
 */
export const personal_sign = defineMethod({
  name: 'personal_sign',
  summary: 'Signs a message with an account of the node',
  params: [param('message', data), param('address', address), optional('passphrase', passphrase, '')],
  hidesParams: true,
  result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
  example: {
    params: ['0xdeadbeef', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
    result:
      '0xa114c834af73872c6c9efe918d85b0b1b34a486d10f9011e2630e28417c828c060dbd65cda67e73d52ebb7c555260621dbc1b0b4036acb61086bba091ac3f1641b',
  },
  handler: async (context, message, account, words) => {
    const hash = messageHash(message);
    if (words === '') return signWithAccount(context, 'personal_sign', account, hash);
    requireKeys(context, 'personal_sign');
    const signHash = await context.chain.wallet.signerWithPassphrase(account, words);
    if (signHash === null) throw new MessageSignerNotFoundError(account);
    return signatureHex(signHash(hash));
  },
});
