import { defineMethod } from '../../method.ts';
import { nodeInfoView } from '../../views/node-info.ts';

/** The head, the rules and the settings of the node, for tools that adapt to them. */
export const anvil_nodeInfo = defineMethod({
  name: 'anvil_nodeInfo',
  summary: 'The head, the rules and the settings of the node',
  params: [],
  result: { description: 'The node', schema: { type: 'object' } },
  example: {
    params: [],
    result: {
      currentBlockNumber: '0x4',
      currentBlockTimestamp: 1700000004,
      currentBlockHash: '0xdcc30d5e348645beb18416b32c1ebef8d7941df80336d19e9a236d7c3c36d72a',
      hardFork: 'Cancun',
      transactionOrder: 'fees',
      environment: { baseFee: '0x0', chainId: 33, gasLimit: '0x1c9c380', gasPrice: '0x0' },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      network: 'ethereum',
    },
  },
  handler: ({ chain }) => nodeInfoView(chain),
});
