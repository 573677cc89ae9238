import { dropAllTransactions } from '../../../chain/controls.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, type Method } from '../../method.ts';

/** Takes all transactions out of the pool. */
const debug_clearTxpool = defineMethod({
  name: 'debug_clearTxpool',
  summary: 'Empties the pool',
  params: [],
  result: { description: 'null', schema: { type: 'null' } },
  handler: async ({ chain }) => {
    await chain.change(dropAllTransactions());
    return null;
  },
});

/** The number of messages that wait to be sent to peers: none, as this node has no peers. */
const debug_wireProtocolQueueSize = defineMethod({
  name: 'debug_wireProtocolQueueSize',
  summary: 'Messages that wait to be sent to peers',
  params: [],
  result: { description: 'The number of messages', schema: QUANTITY_JSON_SCHEMA },
  handler: () => '0x0',
});

/** The methods of this file, in the order of the method table. */
export const DEBUG_NODE: readonly Method[] = [debug_clearTxpool, debug_wireProtocolQueueSize];
