import { filterObject } from '../../codecs/filter-object.ts';
import { findLogs } from '../../log-answers.ts';
import { defineMethod, param } from '../../method.ts';
import { LOG_JSON_SCHEMA } from '../../views/json-schemas.ts';

/**
 * The logs of a range of blocks, or of the block with a hash, by emitter and topics, oldest first. The search must
 * stay within one of the limits of blocks and of logs.
 */
export const eth_getLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: [param('filter', filterObject)],
  result: { description: 'The logs', schema: { type: 'array', items: LOG_JSON_SCHEMA } },
  example: {
    params: [{ fromBlock: 'earliest', address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' }],
    result: [],
  },
  handler: findLogs,
});
