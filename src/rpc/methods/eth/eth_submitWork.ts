import { hash32 } from '../../codecs/data.ts';
import { workNonce } from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Submits what makes the parent-chain header of eth_getWork meet the target: its time (4 bytes) and nonce (4 bytes) in one,
 * both big-endian, the hash for merged mining, and as mix digest the Merkle root. False when it does not solve the work, or
 * when that is none of the last twenty.
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
  handler: ({ chain }, nonce, hash, merkleRoot) => chain.work.solve(hash, merkleRoot, nonce),
});
