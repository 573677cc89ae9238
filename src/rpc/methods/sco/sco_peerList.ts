import { defineMethod } from '../../method.ts';
import { PEER_JSON_SCHEMA, peerView } from '../../views/peer.ts';

/** The addresses that talk to the node, and what is counted of each. */
export const sco_peerList = defineMethod({
  name: 'sco_peerList',
  summary: 'The addresses that talk to the node',
  params: [],
  result: { description: 'One object per address', schema: { type: 'array', items: PEER_JSON_SCHEMA } },
  example: {
    before: [
      {
        method: 'eth_sendTransaction',
        params: [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          },
        ],
      },
    ],
    params: [],
    result: [
      {
        id: '127.0.0.1',
        type: 'address',
        goodReputation: true,
        successfulHandshakes: 0,
        failedHandshakes: 0,
        invalidNetworks: 0,
        repeatedMessages: 0,
        validBlocks: 0,
        score: 1,
        invalidBlocks: 0,
        validTransactions: 1,
        invalidTransactions: 0,
        invalidMessages: 0,
        unexpectedMessages: 0,
        timeoutMessages: 0,
        invalidHeader: 0,
        punishments: 0,
        punishedUntil: 0,
      },
    ],
  },
  handler: ({ peers }) => peers.peers().map(peerView),
});
