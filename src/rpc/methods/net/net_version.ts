import { defineMethod } from '../../method.ts';

/** The network id, in decimal: the one that the chain was given, or its chain id. */
export const net_version = defineMethod({
  name: 'net_version',
  summary: 'The network id',
  params: [],
  result: { description: 'The network id in decimal', schema: { type: 'string' } },
  example: { params: [], result: '33' },
  handler: ({ chain }) => String(chain.options.networkId ?? chain.settings.chainId),
});
