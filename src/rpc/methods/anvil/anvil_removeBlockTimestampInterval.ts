import { defineMethod, SAME } from '../../method.ts';

/** Lets blocks follow the clock again; false when no interval was set. */
export const anvil_removeBlockTimestampInterval = defineMethod({
  name: 'anvil_removeBlockTimestampInterval',
  aliases: { hardhat_removeBlockTimestampInterval: SAME, ganache_removeBlockTimestampInterval: SAME },
  summary: 'Lets blocks follow the clock again',
  params: [],
  result: { description: 'True when an interval was set', schema: { type: 'boolean' } },
  example: { params: [], result: false },
  handler: async ({ chain }) => {
    const wasSet = chain.controls.timestampInterval !== null;
    await chain.controls.setTimestampInterval(null);
    return wasSet;
  },
});
