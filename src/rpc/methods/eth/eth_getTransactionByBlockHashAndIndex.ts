import { answerTransactionAt } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The transaction at an index of the block with a hash, `null` when there is none. */
export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'A transaction of a block, by hash and index',
  params: [param('blockHash', hash32), param('index', index)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: {
    params: ['0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2', '0x0'],
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
  handler: (context, hash, position) => answerTransactionAt(context, { hash }, position),
});
