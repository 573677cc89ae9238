import { defineMethod } from '../../method.ts';

/** The namespaces that have methods here, each with its version. */
export const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The namespaces of the node',
  params: [],
  result: { description: 'The version of each namespace', schema: { type: 'object' } },
  example: { params: [], result: { eth: '1.0', net: '1.0', web3: '1.0' } },
  handler: ({ modules }) => modules,
});
