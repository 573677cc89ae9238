import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { storageRoot } from '../../../state/account.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, hash32 } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** An account as it stands in the state after a block; `null` when there is none. */
export const eth_getAccount = defineMethod({
  name: 'eth_getAccount',
  summary: 'Nonce, balance, storage root and code hash of an account',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: {
    description: 'The account, or null',
    schema: orNull({
      type: 'object',
      properties: {
        nonce: QUANTITY_JSON_SCHEMA,
        balance: QUANTITY_JSON_SCHEMA,
        storageRoot: hash32.jsonSchema,
        codeHash: hash32.jsonSchema,
      },
      required: ['nonce', 'balance', 'storageRoot', 'codeHash'],
    }),
  },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'latest'],
    result: {
      nonce: '0x0',
      balance: '0x0',
      storageRoot: '0x81d1fa699f807735499cf6f7df860797cf66f6a66b565cfcda3fae3521eb6861',
      codeHash: '0x3d7e9b83aea5f80e9d9a1c25a7758039695aaa696215909cd351d1a70b990793',
    },
  },
  handler: async ({ chain }, of, selector) => {
    const { state } = await chain.view(selector);
    const account = state.account(of);
    if (account === undefined) return null;
    return {
      nonce: toQuantity(account.nonce),
      balance: toQuantity(account.balance),
      storageRoot: toHex(storageRoot(account.storage)),
      codeHash: toHex(account.code.hash),
    };
  },
});
