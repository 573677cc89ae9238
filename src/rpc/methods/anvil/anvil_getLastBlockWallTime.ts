import { defineMethod } from '../../method.ts';

/** When the last block was made by the machine's clock, whatever time the chain has; before any block the chain's start. */
export const anvil_getLastBlockWallTime = defineMethod({
  name: 'anvil_getLastBlockWallTime',
  summary: "When the last block was made by the machine's clock",
  params: [],
  result: { description: 'Milliseconds since 1970', schema: { type: 'integer' } },
  example: { params: [], result: 1700000000000 },
  handler: ({ chain }) => chain.lastBlockTime.milliseconds,
});
