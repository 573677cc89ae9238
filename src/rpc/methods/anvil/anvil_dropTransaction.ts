import { toHex } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** Takes a transaction out of the pool and gives its hash; `null` when it was not there. */
export const anvil_dropTransaction = defineMethod({
  name: 'anvil_dropTransaction',
  summary: 'Takes a transaction out of the pool',
  differs: 'Finds transactions that wait for an earlier nonce too',
  params: [param('transactionHash', hash32)],
  result: { description: 'The hash, or `null`', schema: orNull(hash32.jsonSchema) },
  example: {
    params: ['0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84'],
    result: '0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84',
  },
  handler: async ({ chain }, hash) => ((await chain.controls.dropTransaction(hash)) ? toHex(hash) : null),
});
