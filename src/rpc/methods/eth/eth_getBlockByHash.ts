import { answerBlock } from '../../block-answers.ts';
import { boolean } from '../../codecs/boolean.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { BLOCK_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The block with a hash, its transactions as hashes or in full; `null` when there is none. */
export const eth_getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash',
  params: [param('blockHash', hash32), optional('fullTransactions', boolean, false)],
  result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
  example: {
    params: ['0xb3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3', false],
    result: null,
  },
  handler: (context, hash, full) => answerBlock(context, { hash }, full),
});
