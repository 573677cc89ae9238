import { defineMethod } from '../../method.ts';
import { nodeInfoView } from '../../views/node-info.ts';

/** The head, the rules and the settings of the node, for tools that adapt to them. */
export const anvil_nodeInfo = defineMethod({
  name: 'anvil_nodeInfo',
  summary: 'The head, the rules and the settings of the node',
  differs: "`hardFork` is Cancun under the network's own rules, the nearest that Foundry knows",
  params: [],
  result: { description: 'The node', schema: { type: 'object' } },
  example: {
    params: [],
    result: {
      currentBlockNumber: '0x4',
      currentBlockTimestamp: 1700000004,
      currentBlockHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
      hardFork: 'Cancun',
      transactionOrder: 'fees',
      environment: { baseFee: '0x0', chainId: 33, gasLimit: '0x1c9c380', gasPrice: '0x0' },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      network: 'ethereum',
    },
  },
  handler: ({ chain }) => nodeInfoView(chain),
});
