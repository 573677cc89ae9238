import { workTarget } from '../../../mining/work.ts';
import { toHex } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

// The network's proof of work has no seed; the place is there for miners that expect one.
const NO_SEED = new Uint8Array(32);

/**
 * The work on the block that would be mined now: the hash that a parent-chain block commits to, the seed hash (zeros),
 * and the target, 2^256 / difficulty.
 */
export const eth_getWork = defineMethod({
  name: 'eth_getWork',
  summary: 'The work on the next block',
  params: [],
  result: {
    description: 'Hash for merged mining, seed hash and target, 32 bytes each',
    schema: { type: 'array', items: hash32.jsonSchema, minItems: 3, maxItems: 3 },
  },
  example: {
    params: [],
    result: [
      '0x5509381fd1b462bcc4c5969f732d9aa7f6a9e695b49646909c80c67f5aef5975',
      '0x0000000000000000000000000000000000000000000000000000000000000000',
      '0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    ],
  },
  handler: async ({ chain }) => {
    const { block } = await chain.view({ tag: 'pending' });
    const { hashForMergedMining, difficulty } = chain.work.offer(block);
    return [hashForMergedMining, NO_SEED, workTarget(difficulty)].map(toHex);
  },
});
