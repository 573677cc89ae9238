import { answerRawTransactionAt } from '../../block-answers.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The encoding of the transaction at an index of the block with a hash; `null` when there is none. */
export const eth_getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'The encoding of a transaction of a block, by hash and index',
  params: [param('blockHash', hash32), param('index', index)],
  result: { description: 'The signed transaction as it was sent, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2', '0x0'],
    result:
      '0xf86780808252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a76400008066a04c92baf420aa14c816685cc9999cc127ed286bdad1bc90c13d6d262910a729dea02cda2b503256457ce2ebd241cbf4071e414b76b5c75afb30126e305db1926e3b',
  },
  handler: (context, hash, position) => answerRawTransactionAt(context, { hash }, position),
});
