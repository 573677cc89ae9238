import { changeSettings } from '../../../chain/controls.ts';
import { boolean } from '../../codecs/basic.ts';
import { chainId, upstreamUrl } from '../../codecs/settings.ts';
import { NoForkError } from '../../errors.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import { anvilMetadataView, nodeInfoView } from '../../views/node-info.ts';

export const ANVIL_NODE: readonly Method[] = [
  /** The node, the life of its chain (the instance id is new after a reset), and its snapshots. */
  defineMethod({
    name: 'anvil_metadata',
    summary: 'The version of the node, the instance of its chain and its snapshots',
    differs: 'Names node-cli as the client',
    params: [],
    result: { description: 'The node', schema: { type: 'object' } },
    handler: ({ chain, fork, settings }) => anvilMetadataView(chain, fork.current, settings),
  }),
  /** The head, the rules and the settings of the node, for tools that adapt to them. */
  defineMethod({
    name: 'anvil_nodeInfo',
    summary: 'The head, the rules and the settings of the node',
    differs: "`hardFork` is Cancun under the network's own rules, the nearest that Foundry knows",
    params: [],
    result: { description: 'The node', schema: { type: 'object' } },
    handler: ({ chain, fork }) => nodeInfoView(chain, fork.current),
  }),
  /**
   * Sets the id that transactions are signed for and CHAINID answers, from now on; it is the network id too unless the node
   * was given one. Transactions that were taken before stay.
   */
  defineMethod({
    name: 'anvil_setChainId',
    aliases: { hardhat_setChainId: TRUE },
    summary: 'Sets the chain id',
    params: [param('chainId', chainId)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, id) => chain.change(changeSettings({ chainId: id })),
  }),
  /** Switches the log that the node writes of requests and blocks. */
  defineMethod({
    name: 'anvil_setLoggingEnabled',
    aliases: { hardhat_setLoggingEnabled: TRUE, ganache_setLoggingEnabled: TRUE },
    summary: 'Switches the log of the node',
    params: [param('enabled', boolean)],
    // A test suite that switches the log off and on does not want to see that in it.
    isLogged: false,
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, enabled) => {
      chain.isLogged = enabled;
    },
  }),
  /** Asks another node for what the fork has not fetched yet. It must have the block that the fork began with. */
  defineMethod({
    name: 'anvil_setRpcUrl',
    aliases: { hardhat_setRpcUrl: TRUE, ganache_setRpcUrl: TRUE },
    summary: 'Asks another node for what a fork has not fetched yet',
    differs:
      'The other node must have the block that the fork began with; refused where the node forks no chain',
    params: [param('url', upstreamUrl)],
    // A URL can hold a key.
    hidesParams: true,
    result: { description: 'Nothing of meaning', schema: { type: 'null' } },
    handler: ({ fork }, url) => {
      if (fork.current === null) throw new NoForkError();
      fork.current.upstream.useUrls([url]);
      return null;
    },
  }),
];
