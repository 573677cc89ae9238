import { answerUncleAt, requireServed } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { BLOCK_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The uncle at an index of the block with a number or tag, as a block without transactions; `null` when there is none. */
export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a block, by number and index',
  params: [param('block', blockNumberSelector), param('index', index)],
  result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
  example: { params: ['latest', '0x0'], result: null },
  handler: (context, block, position) => {
    requireServed(context, 'block', block);
    return answerUncleAt(context, block, position);
  },
});
