import { hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { answerTransactionAt } from '../../transaction-answers.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The transaction at an index of the block with a hash, `null` when there is none. */
export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'A transaction of a block, by hash and index',
  params: [param('blockHash', hash32), param('index', index)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: {
    params: ['0xb3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3', '0x0'],
    result: null,
  },
  handler: (context, hash, position) => answerTransactionAt(context, { hash }, position),
});
