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
  example: {
    params: [],
    result: [
      {
        hash: '0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84',
        nonce: '0x1',
        blockHash: null,
        blockNumber: null,
        blockTimestamp: null,
        transactionIndex: null,
        from: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        gas: '0x5208',
        gasPrice: '0x0',
        value: '0x1',
        input: '0x',
        v: '0x66',
        r: '0x22c2f6914598e64ca0227bef6f94640103c2df3c1cd41bc3e5ad3122928e6ff9',
        s: '0x24bb2aafb5807b8d8961abd6f63f421432ad0ed3d3f8dca0928394a029fdcf2b',
        type: '0x0',
      },
    ],
  },
  handler: ({ chain }) => {
    const { pool, wallet } = chain;
    const own = new Set(wallet.addresses().map(keyOf));
    return [...pool.pending(), ...pool.queued()]
      .filter(({ sender }) => own.has(keyOf(sender)))
      .map((transaction) => transactionView(transaction, null, chain.ruleSet));
  },
});
