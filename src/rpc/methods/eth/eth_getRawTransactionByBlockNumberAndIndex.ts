import { answerRawTransactionAt } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The encoding of the transaction at an index of the block with a number; `null` when there is none. */
export const eth_getRawTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'The encoding of a transaction of a block, by number and index',
  params: [param('block', blockNumberSelector), param('index', index)],
  result: { description: 'The signed transaction as it was sent, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0x1', '0x0'],
    result:
      '0xf86780808252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a76400008066a04c92baf420aa14c816685cc9999cc127ed286bdad1bc90c13d6d262910a729dea02cda2b503256457ce2ebd241cbf4071e414b76b5c75afb30126e305db1926e3b',
  },
  handler: answerRawTransactionAt,
});
