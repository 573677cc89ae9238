import { defineMethod } from '../../method.ts';

/** True: a node that answers is listening. */
export const net_listening = defineMethod({
  name: 'net_listening',
  summary: 'Whether the node listens for connections',
  params: [],
  result: { description: 'True when the node listens', schema: { type: 'boolean' } },
  example: { params: [], result: true },
  handler: () => true,
});
