import { peerAddress } from '../../codecs/peer-address.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Lifts the ban of an IP address or of a range that was banned as such; nothing happens when there is none.
 */
export const sco_unbanAddress = defineMethod({
  name: 'sco_unbanAddress',
  summary: 'Lifts a ban',
  params: [param('address', peerAddress)],
  result: { description: 'Nothing', schema: { type: 'null' } },
  example: { params: ['203.0.113.0/24'], result: null },
  handler: ({ peers }, address) => {
    peers.unban(address);
    return null;
  },
});
