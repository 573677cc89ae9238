import { defineMethod } from '../../method.ts';
import { anvilMetadataView } from '../../views/node-info.ts';

/** What the node is, which life of the chain this is (the instance id is new after a reset), and its snapshots. */
export const anvil_metadata = defineMethod({
  name: 'anvil_metadata',
  summary: 'What the node is, the instance of its chain and its snapshots',
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
      latestBlockHash: '0xdcc30d5e348645beb18416b32c1ebef8d7941df80336d19e9a236d7c3c36d72a',
      forkedNetwork: null,
      snapshots: {
        '0x1': [4, '0xdcc30d5e348645beb18416b32c1ebef8d7941df80336d19e9a236d7c3c36d72a'],
      },
    },
  },
  handler: ({ chain, settings }) => anvilMetadataView(chain, settings),
});
