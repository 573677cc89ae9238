import { toHex } from '../../../primitives/hex.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** Keccak-256 of the data, not the standardized SHA3-256. */
export const web3_sha3 = defineMethod({
  name: 'web3_sha3',
  summary: 'The Keccak-256 hash of data',
  params: [param('data', data)],
  result: { description: 'The 32-byte Keccak-256 hash', schema: hash32.jsonSchema },
  example: {
    params: ['0x68656c6c6f20776f726c64'],
    result: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  },
  handler: (_context, bytes) => toHex(keccak256(bytes)),
});
