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
  example: { params: ['0xd821c9c3e633e3dae649a518737158d92854e9875e7c86735a73ecf03f0858c7'], result: '0x0' },
  handler: async (context, blockHash) => {
    const found = await requireBlock(context, { hash: blockHash });
    return toQuantity(found.uncles.length);
  },
});
