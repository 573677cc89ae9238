import { address } from '../../codecs/data.ts';
import { index, pageSize } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { activityBefore } from '../../views/otterscan.ts';

/**
 * The transactions before a block in which an account took part, inner calls included, the newest first: as many as the
 * page has, and the rest of the last block. Block 0 means up to the head.
 */
export const ots_searchTransactionsBefore = defineMethod({
  name: 'ots_searchTransactionsBefore',
  summary: 'The transactions of an account before a block',
  params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
  result: {
    description: 'Transactions, receipts, and whether these are the first or the last',
    schema: { type: 'object' },
  },
  example: {
    params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', 0, 25],
    result: {
      txs: [
        {
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
      ],
      receipts: [
        {
          transactionHash: '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
          transactionIndex: '0x0',
          blockHash: '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
          blockNumber: '0x1',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          cumulativeGasUsed: '0x5208',
          gasUsed: '0x5208',
          effectiveGasPrice: '0x0',
          contractAddress: null,
          logs: [],
          logsBloom:
            '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
          status: '0x1',
          type: '0x0',
          timestamp: 1700000001,
        },
      ],
      firstPage: true,
      lastPage: true,
    },
  },
  handler: (context, account, blockNumber, size) =>
    activityBefore(context, { address: account, blockNumber, pageSize: size }),
});
