import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** The number of messages that wait to be sent to peers: none, as this node has no peers. */
export const debug_wireProtocolQueueSize = defineMethod({
  name: 'debug_wireProtocolQueueSize',
  summary: 'Messages that wait to be sent to peers',
  params: [],
  result: { description: 'The number of messages', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: () => '0x0',
});
