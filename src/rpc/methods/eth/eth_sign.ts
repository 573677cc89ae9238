import { messageHash } from '../../../wallet/message-signer.ts';
import { signWithAccount } from '../../accounts.ts';
import { address, data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** Signs a message, prefixed so that it cannot be a transaction, with an unlocked account: `r`, `s`, and 27 or 28. */
export const eth_sign = defineMethod({
  name: 'eth_sign',
  summary: 'Signs a message with an account of the node',
  hidesParams: true,
  params: [param('address', address), param('message', data)],
  result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0xdeadbeef'],
    result:
      '0xa114c834af73872c6c9efe918d85b0b1b34a486d10f9011e2630e28417c828c060dbd65cda67e73d52ebb7c555260621dbc1b0b4036acb61086bba091ac3f1641b',
  },
  handler: (context, account, message) => signWithAccount(context, 'eth_sign', account, messageHash(message)),
});
