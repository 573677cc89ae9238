import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** Makes a filter of transactions that enter the pool ready to be mined: `eth_getFilterChanges` tells their hashes. */
export const eth_newPendingTransactionFilter = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  summary: 'Makes a filter of new pending transactions',
  params: [],
  result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x1010101010101010101010101010101' },
  handler: ({ chain }) => toQuantity(chain.filters.addPendingTransactions()),
});
