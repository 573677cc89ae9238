import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, type Method } from '../../method.ts';

/** True: a node that answers is listening. */
const net_listening = defineMethod({
  name: 'net_listening',
  summary: 'Whether the node listens for connections',
  params: [],
  result: { description: 'True when the node listens', schema: { type: 'boolean' } },
  handler: () => true,
});

/** None: the node stands alone. */
const net_peerCount = defineMethod({
  name: 'net_peerCount',
  summary: 'The number of connected peers',
  params: [],
  result: { description: 'The number of peers', schema: QUANTITY_JSON_SCHEMA },
  handler: () => '0x0',
});

/** None: the node stands alone. */
const net_peerList = defineMethod({
  name: 'net_peerList',
  summary: 'The known peers',
  params: [],
  result: { description: 'One text per known peer', schema: { type: 'array', items: { type: 'string' } } },
  handler: () => [],
});

/** The network id, in decimal: the one that the chain was given, or its chain id. */
const net_version = defineMethod({
  name: 'net_version',
  summary: 'The network id',
  params: [],
  result: { description: 'The network id in decimal', schema: { type: 'string' } },
  handler: ({ chain }) => String(chain.options.networkId ?? chain.settings.chainId),
});

/** The methods of this file, in the order of the method table. */
export const NET_NETWORK: readonly Method[] = [net_listening, net_peerCount, net_peerList, net_version];
