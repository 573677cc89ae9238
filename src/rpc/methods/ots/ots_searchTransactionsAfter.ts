import { address } from '../../codecs/data.ts';
import { index, pageSize } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { activityAfter } from '../../views/otterscan.ts';

/**
 * The transactions after a block in which an account took part, inner calls included, the newest first: as many as the
 * page has, and the rest of the last block. Block 0 means from the first block on.
 */
export const ots_searchTransactionsAfter = defineMethod({
  name: 'ots_searchTransactionsAfter',
  summary: 'The transactions of an account after a block',
  params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
  result: {
    description: 'Transactions, receipts, and whether these are the first or the last',
    schema: { type: 'object' },
  },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 2, 1],
    result: {
      txs: [
        {
          hash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
          nonce: '0x2',
          blockHash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
          blockNumber: '0x3',
          blockTimestamp: '0x6553f103',
          transactionIndex: '0x0',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          gas: '0x7a120',
          gasPrice: '0x0',
          value: '0x0',
          input: '0x30f3f0db000000000000000000000000000000000000000000000000000000000000002a',
          v: '0x66',
          r: '0xdbf317382d6e58b3a75279b51785d9a3ab42d5dda3dc218c417cd743650f825a',
          s: '0x7356ef2c0c793cffaefe9fd2e2b9bd7cdc93d49bf940c92fa367f6435b92735c',
          type: '0x0',
        },
      ],
      receipts: [
        {
          transactionHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
          transactionIndex: '0x0',
          blockHash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
          blockNumber: '0x3',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          cumulativeGasUsed: '0xaadf',
          gasUsed: '0xaadf',
          effectiveGasPrice: '0x0',
          contractAddress: null,
          logs: [
            {
              address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
              topics: [
                '0x8b05844824acf2db2f068e4006ef99b307ca4fe1a896d06e884700f1a9da3a6d',
                '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
                '0x000000000000000000000000000000000000000000000000000000000000002a',
              ],
              data: '0x000000000000000000000000000000000000000000000000000000000000002a',
              blockNumber: '0x3',
              blockHash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
              blockTimestamp: '0x6553f103',
              transactionHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
              transactionIndex: '0x0',
              logIndex: '0x0',
              removed: false,
            },
          ],
          logsBloom:
            '0x00000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000010000000000000000000000000000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000001000000000002000000000000000000000100000000000000000080000000020000000000000000000800000000000000000',
          status: '0x1',
          type: '0x0',
          timestamp: 1700000003,
        },
      ],
      firstPage: false,
      lastPage: false,
    },
  },
  handler: (context, account, blockNumber, size) =>
    activityAfter(context, { address: account, blockNumber, pageSize: size }),
});
