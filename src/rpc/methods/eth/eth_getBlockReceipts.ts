import { perform } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull, RECEIPT_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { blockReceiptsInPieces } from '../../views/receipt.ts';

/** The receipts of all transactions of a block, in their order; `null` for a block that is not there. */
export const eth_getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'The receipts of all transactions of a block',
  params: [param('block', blockSelector)],
  result: {
    description: 'The receipts, or null',
    schema: orNull({ type: 'array', items: RECEIPT_JSON_SCHEMA }),
  },
  example: {
    params: ['0x3'],
    result: [
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
      },
    ],
  },
  handler: async ({ chain, checkInterrupt, settings: { compat } }, selector) => {
    const block = await chain.block(selector);
    if (block === undefined) return null;
    return perform(blockReceiptsInPieces(block, compat, new WorkPieces(checkInterrupt)));
  },
});
