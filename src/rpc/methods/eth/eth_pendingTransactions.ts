import { keyOf } from '../../../primitives/hex.ts';
import { defineMethod } from '../../method.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { transactionView } from '../../views/transaction.ts';

/** The transactions that wait to be mined, or for a nonce before theirs, and were sent by an account of this node. */
export const eth_pendingTransactions = defineMethod({
  name: 'eth_pendingTransactions',
  summary: "The pending transactions of the node's own accounts",
  params: [],
  result: { description: 'The transactions', schema: { type: 'array', items: TRANSACTION_JSON_SCHEMA } },
  example: { params: [], result: [] },
  handler: ({ chain }) => {
    const { pool, wallet } = chain;
    const own = new Set(wallet.addresses().map(keyOf));
    return [...pool.pending(), ...pool.queued()]
      .filter(({ sender }) => own.has(keyOf(sender)))
      .map((transaction) => transactionView(transaction, null));
  },
});
