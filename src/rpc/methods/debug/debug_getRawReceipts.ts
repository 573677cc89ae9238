import { toHex } from '../../../primitives/hex.ts';
import { encodeReceipt } from '../../../protocol/receipt-encoding.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** The encodings of a block's receipts, as they stand in the trie whose root is in the header. */
export const debug_getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The encodings of the receipts of a block',
  params: [param('block', blockSelector)],
  result: { description: 'The receipts in RLP', schema: { type: 'array', items: data.jsonSchema } },
  example: {
    params: ['0x1'],
    result: [
      '0xf9010c01825208b9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c082520801',
    ],
  },
  handler: async (context, selector) => {
    const { receipts, transactions } = await requireBlock(context, selector);
    const { encoding } = context.chain.ruleSet;
    return receipts.map((receipt, index) =>
      toHex(encodeReceipt(receipt, transactions[index]?.type ?? 0, encoding)),
    );
  },
});
