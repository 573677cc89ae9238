import { toQuantity } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The number of transactions in the block with a hash; `null` when there is no such block. */
export const eth_getBlockTransactionCountByHash = defineMethod({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'The number of transactions in a block, by hash',
  params: [param('blockHash', hash32)],
  result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
  example: { params: ['0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789'], result: '0x1' },
  handler: async ({ chain }, blockHash) => {
    const found = await chain.block({ hash: blockHash });
    return found === undefined ? null : toQuantity(found.transactions.length);
  },
});
