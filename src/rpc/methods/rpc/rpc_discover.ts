import { defineMethod } from '../../method.ts';

/** The description of all methods (OpenRPC 1.2.6, service discovery). */
export const rpc_discover = defineMethod({
  name: 'rpc.discover',
  aliases: ['rpc_discover'],
  summary: 'The OpenRPC document of this service',
  params: [],
  result: { description: 'The OpenRPC document', schema: { type: 'object' } },
  example: {
    params: [],
    result: { openrpc: '1.2.6', info: { title: 'node-cli', version: '0.1.0' } },
    isExcerpt: true,
  },
  handler: ({ openRpcDocument }) => openRpcDocument(),
});
