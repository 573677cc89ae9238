import { toHex } from '../../../primitives/hex.ts';
import { address, hash32 } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The hash of the mined transaction of a sender with a nonce; `null` when there is none. */
export const ots_getTransactionBySenderAndNonce = defineMethod({
  name: 'ots_getTransactionBySenderAndNonce',
  summary: 'The hash of a transaction, by sender and nonce',
  params: [param('address', address), param('nonce', quantity)],
  result: { description: 'The hash, or null', schema: orNull(hash32.jsonSchema) },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 2],
    result: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
  },
  handler: ({ chain }, sender, nonce) => {
    const location = chain.history.transactionOf(sender, nonce);
    return location === undefined ? null : toHex(location.transaction.hash);
  },
});
