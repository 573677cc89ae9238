import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, data } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, optional, param } from '../../method.ts';

/** Nonce, balance and code of an account after a block in one answer; zeros for one that is not there. */
export const eth_getAccountInfo = defineMethod({
  name: 'eth_getAccountInfo',
  summary: 'Nonce, balance and code of an account',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: {
    description: 'The account',
    schema: {
      type: 'object',
      properties: { nonce: QUANTITY_JSON_SCHEMA, balance: QUANTITY_JSON_SCHEMA, code: data.jsonSchema },
      required: ['nonce', 'balance', 'code'],
    },
  },
  example: {
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'],
    result: { nonce: '0x4', balance: '0x21e0c0013070adc0000', code: '0x' },
  },
  handler: async ({ chain }, of, selector) => {
    const { state } = await chain.view(selector);
    const account = state.account(of);
    return {
      nonce: toQuantity(account?.nonce ?? 0n),
      balance: toQuantity(account?.balance ?? 0n),
      code: toHex(account?.code.bytes ?? EMPTY_BYTES),
    };
  },
});
