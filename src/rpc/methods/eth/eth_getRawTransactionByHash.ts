import { toHex } from '../../../primitives/hex.ts';
import { waitingTransaction } from '../../block-answers.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The encoding of a transaction, mined or waiting in the pool; `null` when there is none. */
export const eth_getRawTransactionByHash = defineMethod({
  name: 'eth_getRawTransactionByHash',
  aliases: ['debug_getRawTransaction'],
  summary: 'The encoding of a transaction, by its hash',
  params: [param('transactionHash', hash32)],
  result: { description: 'The signed transaction as it was sent, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b'],
    result:
      '0xf86780808252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a76400008066a04c92baf420aa14c816685cc9999cc127ed286bdad1bc90c13d6d262910a729dea02cda2b503256457ce2ebd241cbf4071e414b76b5c75afb30126e305db1926e3b',
  },
  handler: async (context, hash) => {
    const transaction =
      (await context.chain.transaction(hash))?.transaction ?? waitingTransaction(context, hash);
    return transaction === undefined ? null : toHex(transaction.raw);
  },
});
