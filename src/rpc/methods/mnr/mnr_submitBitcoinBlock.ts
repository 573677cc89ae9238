import { proofOfBlock } from '../../../protocol/merged-mining/solution.ts';
import { bitcoinBlock } from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';
import { SUBMITTED_BLOCK_JSON_SCHEMA, submittedBlockView } from '../../views/submitted-block.ts';

/**
 * Submits a parent-chain block that a merged miner has solved.
 * The block of this chain is the one that the coinbase transaction commits to. Fails with -33000 when that is none of
 * the last twenty works, or when it does not prove that work.
 */
export const mnr_submitBitcoinBlock = defineMethod({
  name: 'mnr_submitBitcoinBlock',
  summary: 'Submits a whole parent-chain block',
  params: [param('block', bitcoinBlock)],
  result: { description: 'What became of the block', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
  example: {
    params: [
      '000000201111111111111111111111111111111111111111111111111111111111111111222222222222222222222222222222222222222222222222222222222222222200f15365ffff7f20000000000101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0400000000ffffffff0100000000000000002b6a2952534b424c4f434b3a1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef00000000',
    ],
    error: {
      code: -33000,
      message:
        'Cannot publish block, could not find hash 0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef in the cache',
    },
    result: null,
  },
  handler: async ({ chain }, { block, commitment }) =>
    submittedBlockView(await chain.work.submit(commitment, () => proofOfBlock(block))),
});
