import { defineMethod } from '../../method.ts';
import { anvilMetadataView } from '../../views/node-info.ts';

/** What the node is, which life of the chain this is (the instance id is new after a reset), and its snapshots. */
export const anvil_metadata = defineMethod({
  name: 'anvil_metadata',
  summary: 'What the node is, the instance of its chain and its snapshots',
  differs: 'Names node-cli as the client',
  params: [],
  result: { description: 'The node', schema: { type: 'object' } },
  example: {
    before: [{ method: 'evm_snapshot', params: [] }],
    params: [],
    result: {
      clientVersion: 'node-cli/v0.1.0',
      clientSemver: '0.1.0',
      clientCommitSha: 'unknown',
      chainId: 33,
      instanceId: '0x0101010101010101010101010101010101010101010101010101010101010101',
      latestBlockNumber: 4,
      latestBlockHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
      forkedNetwork: null,
      snapshots: {
        '0x1': [4, '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c'],
      },
    },
  },
  handler: ({ chain, settings }) => anvilMetadataView(chain, settings),
});
