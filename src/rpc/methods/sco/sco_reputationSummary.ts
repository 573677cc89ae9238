import { defineMethod } from '../../method.ts';
import { REPUTATION_SUMMARY_JSON_SCHEMA, reputationSummaryView } from '../../views/peer.ts';

/** What is counted of all addresses together. */
export const sco_reputationSummary = defineMethod({
  name: 'sco_reputationSummary',
  summary: 'What all addresses that talk to the node did',
  params: [],
  result: { description: 'The sums over all addresses', schema: REPUTATION_SUMMARY_JSON_SCHEMA },
  example: {
    params: [],
    result: {
      count: 0,
      successfulHandshakes: 0,
      failedHandshakes: 0,
      invalidHeader: 0,
      validBlocks: 0,
      invalidBlocks: 0,
      validTransactions: 0,
      invalidTransactions: 0,
      invalidNetworks: 0,
      invalidMessages: 0,
      repeatedMessages: 0,
      timeoutMessages: 0,
      unexpectedMessages: 0,
      peersTotalScore: 0,
      punishments: 0,
      goodReputationCount: 0,
      badReputationCount: 0,
    },
  },
  handler: ({ peers }) => reputationSummaryView(peers.peers()),
});
