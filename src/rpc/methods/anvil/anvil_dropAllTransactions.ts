import { defineMethod } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Takes all transactions out of the pool. */
export const anvil_dropAllTransactions = defineMethod({
  name: 'anvil_dropAllTransactions',
  aliases: { hardhat_dropAllTransactions: TRUE, ganache_dropAllTransactions: TRUE },
  summary: 'Empties the pool',
  params: [],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: [], result: null },
  handler: ({ chain }) => chain.controls.dropAllTransactions(),
});
