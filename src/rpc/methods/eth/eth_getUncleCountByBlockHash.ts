import { toQuantity } from '../../../primitives/hex.ts';
import { requireBlock } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** The number of uncles of the block with a hash. */
export const eth_getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'The number of uncles of a block, by hash',
  params: [param('blockHash', hash32)],
  result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
  example: { params: ['0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2'], result: '0x0' },
  handler: async (context, blockHash) => {
    const found = await requireBlock(context, { hash: blockHash });
    return toQuantity(found.uncles.length);
  },
});
