import { dropAllTransactions } from '../../../chain/controls.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, type Method } from '../../method.ts';

export const DEBUG_NODE: readonly Method[] = [
  /** Takes all transactions out of the pool. */
  defineMethod({
    name: 'debug_clearTxpool',
    summary: 'Empties the pool',
    params: [],
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ chain }) => {
      await chain.change(dropAllTransactions());
      return null;
    },
  }),
  /** The number of messages that wait to be sent to peers: none, as this node has no peers. */
  defineMethod({
    name: 'debug_wireProtocolQueueSize',
    summary: 'Messages that wait to be sent to peers',
    params: [],
    result: { description: 'The number of messages', schema: QUANTITY_JSON_SCHEMA },
    handler: () => '0x0',
  }),
];
