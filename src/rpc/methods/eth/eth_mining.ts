import { defineMethod } from '../../method.ts';

/** True while blocks are made without being asked for: instantly or on a timer. */
export const eth_mining = defineMethod({
  name: 'eth_mining',
  summary: 'Whether the node mines',
  params: [],
  result: { description: 'True when the node mines by itself', schema: { type: 'boolean' } },
  example: { params: [], result: true },
  handler: ({ chain }) => chain.miner.isMining,
});
