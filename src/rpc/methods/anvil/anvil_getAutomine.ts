import { defineMethod, SAME } from '../../method.ts';

/** True while each transaction is mined at once, whether there is a timer or not. */
export const anvil_getAutomine = defineMethod({
  name: 'anvil_getAutomine',
  aliases: { hardhat_getAutomine: SAME, ganache_getAutomine: SAME },
  summary: 'Whether each transaction is mined at once',
  params: [],
  result: { description: 'True with instant mining', schema: { type: 'boolean' } },
  example: { params: [], result: true },
  handler: ({ chain }) => chain.miner.automine,
});
