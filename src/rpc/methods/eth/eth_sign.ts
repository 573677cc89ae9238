import { concatBytes } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { messageHash } from '../../../wallet/message-hash.ts';
import { requireKeys } from '../../accounts.ts';
import { address, data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** Signs a message, prefixed so that it cannot be a transaction, with an unlocked account: `r`, `s`, and 27 or 28. */
export const eth_sign = defineMethod({
  name: 'eth_sign',
  summary: 'Signs a message with an account of the node',
  params: [param('address', address), param('message', data)],
  result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0xdeadbeef'],
    result:
      '0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
  },
  handler: (context, account, message) => {
    requireKeys(context, 'eth_sign');
    const { compact, recovery } = context.chain.wallet.signHash(account, messageHash(message));
    return toHex(concatBytes(compact, Uint8Array.of(27 + recovery)));
  },
});
