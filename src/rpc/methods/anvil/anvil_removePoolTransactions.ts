import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Takes the transactions of a sender out of the pool. */
export const anvil_removePoolTransactions = defineMethod({
  name: 'anvil_removePoolTransactions',
  aliases: { hardhat_removePoolTransactions: TRUE },
  summary: 'Takes the transactions of a sender out of the pool',
  params: [param('address', address)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'], result: null },
  handler: ({ chain }, sender) => chain.controls.dropTransactionsOf(sender),
});
