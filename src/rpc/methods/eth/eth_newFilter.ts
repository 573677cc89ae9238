import { toQuantity } from '../../../primitives/hex.ts';
import { perform } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { prepareCriteria } from '../../../storage/log-record.ts';
import { rangeFilterObject } from '../../codecs/filter-object.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { rangeOf } from '../../log-answers.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Makes a filter of logs. `eth_getFilterChanges` then tells the logs of blocks made since, as far as they are in its
 * range, and `eth_getFilterLogs` all logs in its range. A filter that nobody asks for some minutes is gone.
 */
export const eth_newFilter = defineMethod({
  name: 'eth_newFilter',
  summary: 'Makes a filter of logs',
  params: [param('filter', rangeFilterObject)],
  result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
  example: {
    params: [{ address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512' }],
    result: '0x1010101010101010101010101010101',
  },
  handler: async ({ chain, checkInterrupt }, filter) => {
    const range = rangeOf(filter);
    await perform(prepareCriteria(range, new WorkPieces(checkInterrupt)));
    return toQuantity(chain.filters.addLogs(range));
  },
});
