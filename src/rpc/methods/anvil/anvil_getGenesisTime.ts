import { defineMethod } from '../../method.ts';

/** The timestamp of the first block, in seconds since 1970. */
export const anvil_getGenesisTime = defineMethod({
  name: 'anvil_getGenesisTime',
  summary: 'The timestamp of the first block',
  params: [],
  result: { description: 'Seconds since 1970', schema: { type: 'integer' } },
  example: { params: [], result: 1700000000 },
  handler: async ({ chain }) => (await chain.view({ tag: 'earliest' })).block.header.timestamp,
});
