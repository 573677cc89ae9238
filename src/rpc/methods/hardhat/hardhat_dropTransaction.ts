import { TransactionMinedError } from '../../../chain/errors.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param, SAME } from '../../method.ts';

/** Takes a transaction out of the pool; false when it was not there. One that is mined already is an error. */
export const hardhat_dropTransaction = defineMethod({
  name: 'hardhat_dropTransaction',
  aliases: { ganache_dropTransaction: SAME },
  summary: 'Takes a transaction out of the pool; one that is mined is an error',
  differs: {
    hardhat_dropTransaction: "Error -32000 for one that is mined, in Hardhat's words",
  },
  params: [param('transactionHash', hash32)],
  result: { description: 'True when it was in the pool', schema: { type: 'boolean' } },
  example: { params: ['0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84'], result: true },
  handler: async ({ chain }, hash) => {
    if ((await chain.transaction(hash)) !== undefined) throw new TransactionMinedError(hash);
    return chain.controls.dropTransaction(hash);
  },
});
