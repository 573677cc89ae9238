import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { RECEIPT_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { receiptView } from '../../views/receipt.ts';

/** What became of a mined transaction; `null` for one that is unknown or still pending. */
export const eth_getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a mined transaction',
  params: [param('transactionHash', hash32)],
  result: { description: 'The receipt, or null', schema: RECEIPT_JSON_SCHEMA },
  example: {
    params: ['0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb'],
    result: {
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
    },
  },
  handler: async ({ chain, settings }, hash) => {
    const mined = await chain.transaction(hash);
    return mined === undefined ? null : receiptView(mined, settings.compat);
  },
});
