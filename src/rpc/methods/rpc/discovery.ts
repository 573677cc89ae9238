import { defineMethod, type Method } from '../../method.ts';

/** The description of all methods (OpenRPC 1.2.6, service discovery). */
const rpc_discover = defineMethod({
  name: 'rpc.discover',
  aliases: ['rpc_discover'],
  summary: 'The OpenRPC document of this service',
  params: [],
  result: { description: 'The OpenRPC document', schema: { type: 'object' } },
  handler: ({ openRpcDocument }) => openRpcDocument(),
});

/** The namespaces that have methods here, each with its version. */
const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The namespaces of the node',
  params: [],
  result: { description: 'The version of each namespace', schema: { type: 'object' } },
  handler: ({ modules }) => modules,
});

/** The methods of this file, in the order of the method table. */
export const RPC_DISCOVERY: readonly Method[] = [rpc_discover, rpc_modules];
