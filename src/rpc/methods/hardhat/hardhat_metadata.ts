import { defineMethod } from '../../method.ts';
import { hardhatMetadataView } from '../../views/node-info.ts';

/** What the node is and which life of the chain this is: the instance id is new after a reset. */
export const hardhat_metadata = defineMethod({
  name: 'hardhat_metadata',
  summary: 'What the node is and the instance of its chain',
  differs:
    'Names node-cli as the client; `forkedNetwork` is left out with the dialect hardhat only, by which hardhat-viem tells Hardhat from Anvil',
  params: [],
  result: { description: 'The node', schema: { type: 'object' } },
  example: {
    params: [],
    result: {
      clientVersion: 'node-cli/0.1.0',
      chainId: 33,
      instanceId: '0x0101010101010101010101010101010101010101010101010101010101010101',
      latestBlockNumber: 4,
      latestBlockHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
      forkedNetwork: null,
    },
  },
  handler: ({ chain, settings }) => hardhatMetadataView(chain, settings),
});
