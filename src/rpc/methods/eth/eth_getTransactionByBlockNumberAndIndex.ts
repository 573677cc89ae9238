import { answerTransactionAt, requireServed } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The transaction at an index of the block with a number or tag, `null` when there is none. */
export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'A transaction of a block, by number and index',
  params: [param('block', blockNumberSelector), param('index', index)],
  result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
  example: {
    params: ['0x3', '0x0'],
    result: {
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
  },
  handler: (context, block, position) => {
    requireServed(context, 'block', block);
    return answerTransactionAt(context, block, position);
  },
});
