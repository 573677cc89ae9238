import { isIP } from 'node:net';
import { plainAddress } from '../../../primitives/address-range.ts';
import type { JsonSchema } from '../../../wire/values.ts';
import { leaf } from '../../codecs/codec.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import type { Peer, PeerCounts } from '../../peers.ts';

/**
 * Returns a peer as JSON, all counts plain numbers. Counts of what only other nodes could do are 0; and only bans make a
 * reputation bad, as the node punishes no peer by itself.
 */
function peerView(peer: Peer): Readonly<Record<string, unknown>> {
  return {
    id: peer.address,
    type: 'address',
    goodReputation: !peer.isBanned,
    successfulHandshakes: 0,
    failedHandshakes: 0,
    invalidNetworks: 0,
    repeatedMessages: 0,
    validBlocks: 0,
    score: peer.score,
    invalidBlocks: 0,
    validTransactions: peer.validTransactions,
    invalidTransactions: peer.invalidTransactions,
    invalidMessages: peer.invalidMessages,
    unexpectedMessages: 0,
    timeoutMessages: 0,
    invalidHeader: 0,
    punishments: 0,
    punishedUntil: 0,
  };
}

/** The sums over the peers as JSON, all plain numbers. */
function reputationSummaryView(peers: readonly Peer[]): Readonly<Record<string, number>> {
  const sum = (field: keyof PeerCounts | 'score') => peers.reduce((total, peer) => total + peer[field], 0);
  const badReputationCount = peers.filter(({ isBanned }) => isBanned).length;
  return {
    count: peers.length,
    successfulHandshakes: 0,
    failedHandshakes: 0,
    invalidHeader: 0,
    validBlocks: 0,
    invalidBlocks: 0,
    validTransactions: sum('validTransactions'),
    invalidTransactions: sum('invalidTransactions'),
    invalidNetworks: 0,
    invalidMessages: sum('invalidMessages'),
    repeatedMessages: 0,
    timeoutMessages: 0,
    unexpectedMessages: 0,
    peersTotalScore: sum('score'),
    punishments: 0,
    goodReputationCount: peers.length - badReputationCount,
    badReputationCount,
  };
}

const count: JsonSchema = { type: 'integer', minimum: 0 };

const COUNT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  successfulHandshakes: count,
  failedHandshakes: count,
  invalidNetworks: count,
  repeatedMessages: count,
  validBlocks: count,
  invalidBlocks: count,
  validTransactions: count,
  invalidTransactions: count,
  invalidMessages: count,
  unexpectedMessages: count,
  timeoutMessages: count,
  invalidHeader: count,
  punishments: count,
};

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** The schema of {@link peerView}. */
const PEER_JSON_SCHEMA = object({
  id: { type: 'string' },
  type: { type: 'string', enum: ['node', 'address'] },
  goodReputation: { type: 'boolean' },
  ...COUNT_SCHEMAS,
  score: { type: 'integer' },
  punishedUntil: count,
});

/** The schema of {@link reputationSummaryView}. */
const REPUTATION_SUMMARY_JSON_SCHEMA = object({
  count,
  ...COUNT_SCHEMAS,
  peersTotalScore: { type: 'integer' },
  goodReputationCount: count,
  badReputationCount: count,
});

/** An IP address or a range; what it names is read where bans are kept. */
const peerAddress = leaf('an IP address, or a range like 10.0.0.0/8', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** The id of a node of Rootstock: a public key without its first byte. */
const NODE_ID = /^(?:0x)?[0-9a-f]{128}$/i;

/** A peer of Rootstock's nodes: an IP address, or the id of a node. */
const peerId = leaf('an IP address, or a node id of 128 hexadecimal digits', { type: 'string' }, (value) =>
  typeof value === 'string' && (isIP(plainAddress(value.trim())) > 0 || NODE_ID.test(value))
    ? value
    : undefined,
);

export const SCO_PEERS: readonly Method[] = [
  /**
   * Forgets what was counted of an IP address; a ban stays. This node knows no peers by a node id, so nothing is forgotten for one.
   */
  defineMethod({
    name: 'sco_clearPeerScoring',
    summary: 'Deletes the score of an address',
    params: [param('id', peerId)],
    result: {
      description: 'The remaining addresses, as in `sco_peerList`',
      schema: { type: 'array', items: PEER_JSON_SCHEMA },
    },
    handler: ({ node: { peers } }, id) => {
      peers.forget(id);
      return peers.peers().map(peerView);
    },
  }),
  /**
   * Bans an IP address or a range of them (CIDR): callers from there are refused, their WebSockets closed. Called on a lane,
   * it holds for that lane alone. This machine cannot be banned.
   */
  defineMethod({
    name: 'sco_banAddress',
    summary: 'Bans an IP address or a range',
    params: [param('address', peerAddress)],
    result: { description: 'Nothing', schema: { type: 'null' } },
    handler: ({ node: { peers } }, address) => {
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
    handler: ({ node: { peers } }) => peers.bannedAddresses(),
  }),
  /** The addresses that talk to the node, and what is counted of each. */
  defineMethod({
    name: 'sco_peerList',
    summary: 'The addresses of clients that sent transactions',
    params: [],
    result: { description: 'One object per address', schema: { type: 'array', items: PEER_JSON_SCHEMA } },
    handler: ({ node: { peers } }) => peers.peers().map(peerView),
  }),
  /** The counts of all addresses together. */
  defineMethod({
    name: 'sco_reputationSummary',
    summary: 'The total scores of all client addresses',
    params: [],
    result: { description: 'The sums over all addresses', schema: REPUTATION_SUMMARY_JSON_SCHEMA },
    handler: ({ node: { peers } }) => reputationSummaryView(peers.peers()),
  }),
  /**
   * Lifts the ban of an IP address or of a range that was banned as such; nothing happens when there is none.
   */
  defineMethod({
    name: 'sco_unbanAddress',
    summary: 'Lifts a ban',
    params: [param('address', peerAddress)],
    result: { description: 'Nothing', schema: { type: 'null' } },
    handler: ({ node: { peers } }, address) => {
      peers.unban(address);
      return null;
    },
  }),
];
