import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { requireServed } from '../../pending.ts';
import { answerTransactionAt } from '../../transaction-answers.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The transaction at an index of the block with a number or tag, `null` when there is none. */
export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'A transaction of a block, by number and index',
  params: [param('block', blockNumberSelector), param('index', index)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: { params: ['latest', '0x0'], result: null },
  handler: (context, block, position) => {
    requireServed(context, 'block', block);
    return answerTransactionAt(context, block, position);
  },
});
