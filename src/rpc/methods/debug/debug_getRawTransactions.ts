import { toHex } from '../../../primitives/hex.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** The encodings of a block's transactions. */
export const debug_getRawTransactions = defineMethod({
  name: 'debug_getRawTransactions',
  summary: 'The encodings of the transactions of a block',
  params: [param('block', blockSelector)],
  result: { description: 'The signed transactions', schema: { type: 'array', items: data.jsonSchema } },
  example: {
    params: ['0x1'],
    result: [
      '0xf86780808252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a76400008066a04c92baf420aa14c816685cc9999cc127ed286bdad1bc90c13d6d262910a729dea02cda2b503256457ce2ebd241cbf4071e414b76b5c75afb30126e305db1926e3b',
    ],
  },
  handler: async (context, selector) => {
    const { transactions } = await requireBlock(context, selector);
    return transactions.map(({ raw }) => toHex(raw));
  },
});
