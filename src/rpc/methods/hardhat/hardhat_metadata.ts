import { defineMethod } from '../../method.ts';
import { hardhatMetadataView } from '../../views/node-info.ts';

/** What the node is and which life of the chain this is: the instance id is new after a reset. */
export const hardhat_metadata = defineMethod({
  name: 'hardhat_metadata',
  summary: 'What the node is and the instance of its chain',
  params: [],
  result: { description: 'The node', schema: { type: 'object' } },
  example: {
    params: [],
    result: {
      clientVersion: 'node-cli/0.1.0',
      chainId: 33,
      instanceId: '0x0101010101010101010101010101010101010101010101010101010101010101',
      latestBlockNumber: 4,
      latestBlockHash: '0xdcc30d5e348645beb18416b32c1ebef8d7941df80336d19e9a236d7c3c36d72a',
      forkedNetwork: null,
    },
  },
  handler: ({ chain, settings }) => hardhatMetadataView(chain, settings),
});
