import { defineMethod } from '../../method.ts';

/** The name and version of the node; its form follows the dialect. */
export const web3_clientVersion = defineMethod({
  name: 'web3_clientVersion',
  summary: 'The client version',
  params: [],
  result: { description: 'The name and version of the node', schema: { type: 'string' } },
  example: { params: [], result: 'node-cli/0.1.0/linux/node20.20.0' },
  handler: (context) => context.settings.clientVersion,
});
