import { boolean } from '../../codecs/basic.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** Ends a filter; false when there is none with that id. */
export const eth_uninstallFilter = defineMethod({
  name: 'eth_uninstallFilter',
  summary: 'Ends a filter',
  params: [param('filterId', quantity)],
  result: { description: 'True when the filter was there', schema: boolean.jsonSchema },
  example: { params: ['0x1'], result: false },
  handler: ({ chain }, id) => chain.filters.remove(id),
  withoutLane: () => false,
});
