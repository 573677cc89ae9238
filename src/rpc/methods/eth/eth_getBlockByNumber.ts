import { answerBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { boolean } from '../../codecs/boolean.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { requireServed } from '../../pending.ts';
import { BLOCK_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The block with a number or tag, its transactions as hashes or in full; `null` when there is none. */
export const eth_getBlockByNumber = defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'A block by its number',
  params: [param('block', blockNumberSelector), optional('fullTransactions', boolean, false)],
  result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
  example: { params: ['0xffff', false], result: null },
  handler: (context, block, full) => {
    requireServed(context, 'block', block);
    return answerBlock(context, block, full);
  },
});
