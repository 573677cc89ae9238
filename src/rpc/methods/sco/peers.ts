import { leaf } from '../../codecs/codec.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import {
  PEER_JSON_SCHEMA,
  peerView,
  REPUTATION_SUMMARY_JSON_SCHEMA,
  reputationSummaryView,
} from '../../views/peer.ts';

/** An IP address or a range; what it names is read where bans are kept. */
export const peerAddress = leaf('an IP address, or a range like 10.0.0.0/8', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

export const SCO_PEERS: readonly Method[] = [
  /**
   * Bans an IP address or a range of them (CIDR): callers from there are refused, their WebSockets closed. Called on a lane,
   * it holds for that lane alone. This machine cannot be banned.
   */
  defineMethod({
    name: 'sco_banAddress',
    summary: 'Bans an address or a range',
    params: [param('address', peerAddress)],
    result: { description: 'Nothing', schema: { type: 'null' } },
    handler: ({ peers }, address) => {
      peers.ban(address);
      return null;
    },
  }),
  /** The banned addresses and ranges in the order they were banned. */
  defineMethod({
    name: 'sco_bannedAddresses',
    summary: 'The banned addresses',
    params: [],
    result: { description: 'Addresses and ranges', schema: { type: 'array', items: { type: 'string' } } },
    handler: ({ peers }) => peers.bannedAddresses(),
  }),
  /** The addresses that talk to the node, and what is counted of each. */
  defineMethod({
    name: 'sco_peerList',
    summary: 'The addresses that talk to the node',
    params: [],
    result: { description: 'One object per address', schema: { type: 'array', items: PEER_JSON_SCHEMA } },
    handler: ({ peers }) => peers.peers().map(peerView),
  }),
  /** The counts of all addresses together. */
  defineMethod({
    name: 'sco_reputationSummary',
    summary: 'What all addresses that talk to the node did',
    params: [],
    result: { description: 'The sums over all addresses', schema: REPUTATION_SUMMARY_JSON_SCHEMA },
    handler: ({ peers }) => reputationSummaryView(peers.peers()),
  }),
  /**
   * Lifts the ban of an IP address or of a range that was banned as such; nothing happens when there is none.
   */
  defineMethod({
    name: 'sco_unbanAddress',
    summary: 'Lifts a ban',
    params: [param('address', peerAddress)],
    result: { description: 'Nothing', schema: { type: 'null' } },
    handler: ({ peers }, address) => {
      peers.unban(address);
      return null;
    },
  }),
];
