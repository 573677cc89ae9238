import { upstreamUrl } from '../../codecs/settings.ts';
import { NoForkError } from '../../errors.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Asks another node for what the fork has not fetched yet. It must have the block that the fork began with. */
export const anvil_setRpcUrl = defineMethod({
  name: 'anvil_setRpcUrl',
  aliases: { hardhat_setRpcUrl: TRUE, ganache_setRpcUrl: TRUE },
  summary: 'Asks another node for what a fork has not fetched yet',
  differs:
    'The other node must have the block that the fork began with; refused where the node forks no chain',
  params: [param('url', upstreamUrl)],
  // A URL can hold a key.
  hidesParams: true,
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  example: {
    params: ['http://127.0.0.1:8545'],
    result: null,
    error: { code: -32602, message: 'The node does not fork another chain' },
  },
  handler: ({ chain }, url) => {
    if (chain.upstreamFork === null) throw new NoForkError();
    chain.upstreamFork.upstream.useUrls([url]);
    return null;
  },
});
