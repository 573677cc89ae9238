import { peerAddress } from '../../codecs/peer-address.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Bans an IP address or a range of them (CIDR): callers from there are refused, their WebSockets closed. Called on a lane,
 * it holds for that lane alone. This machine cannot be banned.
 */
export const sco_banAddress = defineMethod({
  name: 'sco_banAddress',
  summary: 'Bans an address or a range',
  params: [param('address', peerAddress)],
  result: { description: 'Nothing', schema: { type: 'null' } },
  example: { params: ['203.0.113.0/24'], result: null },
  handler: ({ peers }, address) => {
    peers.ban(address);
    return null;
  },
});
