import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** None: the node stands alone. */
export const net_peerCount = defineMethod({
  name: 'net_peerCount',
  summary: 'The number of connected peers',
  params: [],
  result: { description: 'The number of peers', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: () => '0x0',
});
