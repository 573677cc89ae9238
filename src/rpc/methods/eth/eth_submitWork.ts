import { hash32 } from '../../codecs/data.ts';
import { workNonce } from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * False whatever the solution: a block of this network is sealed by a parent-chain block that commits to it, so no
 * nonce and mix digest can solve its work.
 */
export const eth_submitWork = defineMethod({
  name: 'eth_submitWork',
  summary: 'Submits a nonce as a solution of work',
  params: [param('nonce', workNonce), param('headerHash', hash32), param('mixDigest', hash32)],
  result: { description: 'True when the solution is valid', schema: { type: 'boolean' } },
  example: {
    params: [
      '0x0000000000000001',
      '0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef',
      '0xd1fe5700000000000000000000000000d1fe5700000000000000000000000000',
    ],
    result: false,
  },
  handler: () => false,
});
