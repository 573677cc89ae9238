import { toHex } from '../../../primitives/hex.ts';
import { workTarget } from '../../../protocol/merged-mining/proof-of-work.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/**
 * The work on the block that would be mined now, in a parent-chain block that the node makes: the hash that it commits to,
 * the Merkle root in its header as the seed hash, and the target, 2^256 / max(difficulty, 3). The header is version
 * 0x20000000, 32 zero bytes, the root, the time, the bits 0x207fffff and the nonce; what solves it goes to eth_submitWork. Fails with
 * -33000 under the rules of an Ethereum hardfork, whose blocks have no parent chain.
 */
export const eth_getWork = defineMethod({
  name: 'eth_getWork',
  summary: 'The work on the next block',
  params: [],
  result: {
    description: 'Hash for merged mining, Merkle root of the parent chain and target, 32 bytes each',
    schema: { type: 'array', items: hash32.jsonSchema, minItems: 3, maxItems: 3 },
  },
  example: {
    params: [],
    result: [
      '0x5ac20f95a67abaf2943ef6f71eabccf75d635d75dc0cf080f632ae2a348dbe52',
      '0xded39395d5a264e5c22b3ada0e0ddff6eede78a325a7ed7a8dc98d3265cce0e6',
      '0x5555555555555555555555555555555555555555555555555555555555555555',
    ],
  },
  handler: async ({ chain }) => {
    const { hashForMergedMining, merkleRoot, difficulty } = await chain.work.offer();
    return [hashForMergedMining, merkleRoot, workTarget(difficulty)].map(toHex);
  },
});
