import { defineMethod, type Method } from '../../method.ts';

export const RPC_DISCOVERY: readonly Method[] = [
  /** OpenRPC 1.2.6, service discovery. */
  defineMethod({
    name: 'rpc.discover',
    aliases: ['rpc_discover'],
    summary: 'The OpenRPC document of the node',
    result: { description: 'The OpenRPC document', schema: { type: 'object' } },
    handler: ({ services: { openRpcDocument }, node: { chain } }) => openRpcDocument(chain.ruleSet),
  }),
  defineMethod({
    name: 'rpc_modules',
    summary: 'The namespaces of the node',
    priority: 'high',
    result: { description: 'The version of each namespace', schema: { type: 'object' } },
    handler: ({ services: { modules } }) => modules(),
  }),
];
