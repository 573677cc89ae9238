import { answerUncleAt } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { BLOCK_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The uncle at an index of the block with a hash, as a block without transactions; `null` when there is none. */
export const eth_getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a block, by hash and index',
  params: [param('blockHash', hash32), param('index', index)],
  result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
  example: {
    params: ['0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2', '0x0'],
    result: null,
  },
  handler: (context, hash, position) => answerUncleAt(context, { hash }, position),
});
