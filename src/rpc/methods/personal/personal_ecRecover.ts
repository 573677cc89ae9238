import { toHex } from '../../../primitives/hex.ts';
import { messageHash, recoverSigner } from '../../../wallet/message-signer.ts';
import { address, data } from '../../codecs/data.ts';
import { messageSignature } from '../../codecs/message-signature.ts';
import { defineMethod, param } from '../../method.ts';

/** Whose account signed a message with `personal_sign` or `eth_sign`. */
export const personal_ecRecover = defineMethod({
  name: 'personal_ecRecover',
  summary: 'The account that signed a message',
  params: [param('message', data), param('signature', messageSignature)],
  result: { description: 'The address', schema: address.jsonSchema },
  example: {
    params: [
      '0xdeadbeef',
      '0xa114c834af73872c6c9efe918d85b0b1b34a486d10f9011e2630e28417c828c060dbd65cda67e73d52ebb7c555260621dbc1b0b4036acb61086bba091ac3f1641b',
    ],
    result: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  },
  handler: (_context, message, signature) => toHex(recoverSigner(messageHash(message), signature)),
});
