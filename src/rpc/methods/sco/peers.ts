import { isIP } from 'node:net';
import { plainAddress } from '../../../primitives/address-range.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { leaf } from '../../codecs/codec.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import type { Peer, PeerCounts } from '../../peers.ts';

/**
 * Returns a peer as JSON, with numeric counts. Counts that need peer-to-peer messages are 0. Only a ban makes
 * the reputation bad, because the node never punishes a peer itself.
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

/** Returns the sums over the peers as JSON numbers. */
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

const PEER_JSON_SCHEMA = objectSchema({
  id: { type: 'string' },
  type: { type: 'string', enum: ['node', 'address'] },
  goodReputation: { type: 'boolean' },
  ...COUNT_SCHEMAS,
  score: { type: 'integer' },
  punishedUntil: count,
});

const REPUTATION_SUMMARY_JSON_SCHEMA = objectSchema({
  count,
  ...COUNT_SCHEMAS,
  peersTotalScore: { type: 'integer' },
  goodReputationCount: count,
  badReputationCount: count,
});

/** An IP address or a range. The code that stores bans parses it. */
const peerAddress = leaf('an IP address, or a range like 10.0.0.0/8', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** The id of a Rootstock node: a public key without its first byte. */
const NODE_ID = /^(?:0x)?[0-9a-f]{128}$/i;

/** A peer on Rootstock: an IP address, or the id of a node. */
const peerId = leaf('an IP address, or a node id of 128 hexadecimal digits', { type: 'string' }, (value) =>
  typeof value === 'string' && (isIP(plainAddress(value.trim())) > 0 || NODE_ID.test(value))
    ? value
    : undefined,
);

export const SCO_PEERS: readonly Method[] = [
  /** A ban stays. A node id is accepted and has no effect, because this node has no peers. */
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
   * Bans an IP address or a range (CIDR): its requests are rejected and its WebSockets closed. On a lane, the
   * ban is for this lane only. Rejects for an address of this machine.
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
  /** In the order of the bans. */
  defineMethod({
    name: 'sco_bannedAddresses',
    summary: 'The banned addresses',
    result: { description: 'Addresses and ranges', schema: { type: 'array', items: { type: 'string' } } },
    handler: ({ node: { peers } }) => peers.bannedAddresses(),
  }),
  defineMethod({
    name: 'sco_peerList',
    summary: 'The addresses of clients that sent transactions',
    result: { description: 'One object per address', schema: { type: 'array', items: PEER_JSON_SCHEMA } },
    handler: ({ node: { peers } }) => peers.peers().map(peerView),
  }),
  defineMethod({
    name: 'sco_reputationSummary',
    summary: 'The total scores of all client addresses',
    result: { description: 'The sums over all addresses', schema: REPUTATION_SUMMARY_JSON_SCHEMA },
    handler: ({ node: { peers } }) => reputationSummaryView(peers.peers()),
  }),
  /** Without a ban, it has no effect. */
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
