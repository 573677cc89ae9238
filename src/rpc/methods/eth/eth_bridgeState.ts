import { defineMethod } from '../../method.ts';

/**
 * The state of the bridge to the parent chain, as the native contract Bridge keeps it. No transaction ever waits for
 * signatures on a local network: nothing has crossed the bridge.
 */
export const eth_bridgeState = defineMethod({
  name: 'eth_bridgeState',
  summary: 'The state of the bridge to the parent chain',
  params: [],
  result: {
    description:
      'The height of the best parent-chain block known, and the transactions that wait for signatures',
    schema: {
      type: 'object',
      properties: {
        btcBlockchainBestChainHeight: { type: 'integer', minimum: 0 },
        rskTxsWaitingForSignatures: { type: 'array', items: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
      },
      required: ['btcBlockchainBestChainHeight', 'rskTxsWaitingForSignatures'],
    },
  },
  example: { params: [], result: { btcBlockchainBestChainHeight: 0, rskTxsWaitingForSignatures: [] } },
  handler: async ({ chain }) => {
    const { parentChainHeight } = await import('../../../evm/precompiles/network/bridge/bridge-reading.ts');
    const { state } = await chain.view({ tag: 'latest' });
    return { btcBlockchainBestChainHeight: parentChainHeight(state), rskTxsWaitingForSignatures: [] };
  },
});
