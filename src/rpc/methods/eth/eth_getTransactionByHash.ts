import { waitingTransaction } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { transactionView } from '../../views/transaction.ts';

/**
 * A transaction by its hash, mined or waiting in the pool; `null` when there is none. One that waits for a nonce before its
 * own is not found with `--network-limits` and `--hosted`, as on the network.
 */
export const eth_getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction by its hash',
  params: [param('transactionHash', hash32)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: {
    params: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b'],
    result: {
      hash: '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
      nonce: '0x0',
      blockHash: '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
      blockNumber: '0x1',
      blockTimestamp: '0x6553f101',
      transactionIndex: '0x0',
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      gas: '0x5208',
      gasPrice: '0x0',
      value: '0xde0b6b3a7640000',
      input: '0x',
      v: '0x66',
      r: '0x4c92baf420aa14c816685cc9999cc127ed286bdad1bc90c13d6d262910a729de',
      s: '0x2cda2b503256457ce2ebd241cbf4071e414b76b5c75afb30126e305db1926e3b',
      type: '0x0',
    },
  },
  handler: async (context, hash) => {
    const mined = await context.chain.transaction(hash);
    if (mined !== undefined) return transactionView(mined.transaction, mined, context.chain.ruleSet);
    const pending = waitingTransaction(context, hash);
    return pending === undefined ? null : transactionView(pending, null, context.chain.ruleSet);
  },
});
