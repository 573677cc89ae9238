import { QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method } from '../../method.ts';

export const NET_NETWORK: readonly Method[] = [
  defineMethod({
    name: 'net_listening',
    summary: 'Whether the node listens for connections',
    priority: 'high',
    result: { description: 'true if the node listens', schema: { type: 'boolean' } },
    handler: () => true,
  }),
  /** 0, because a single node has no peers. */
  defineMethod({
    name: 'net_peerCount',
    summary: 'The number of connected peers',
    priority: 'high',
    result: { description: 'The number of peers', schema: QUANTITY_JSON_SCHEMA },
    handler: () => '0x0',
  }),
  /** Empty, because a single node has no peers. */
  defineMethod({
    name: 'net_peerList',
    summary: 'The known peers',
    result: {
      description: 'One string per known peer',
      schema: { type: 'array', items: { type: 'string' } },
    },
    handler: () => [],
  }),
  /** The chain id, unless the chain has its own network id. */
  defineMethod({
    name: 'net_version',
    aliases: ['eth_networkId'],
    summary: 'The network id',
    priority: 'high',
    result: { description: 'The network id in decimal', schema: { type: 'string' } },
    handler: ({ node: { chain } }) => String(chain.options.networkId ?? chain.settings.chainId),
  }),
];
