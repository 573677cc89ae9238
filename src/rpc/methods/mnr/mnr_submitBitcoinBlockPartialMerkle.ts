import { EmptyMerkleHashesError } from '../../../mining/errors.ts';
import {
  bitcoinCoinbase,
  bitcoinHeader,
  hashList,
  ignoredHash,
  transactionCount,
} from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';
import { SUBMITTED_BLOCK_JSON_SCHEMA } from '../../views/submitted-block.ts';

/**
 * Submits a solved parent-chain block as its header, its coinbase transaction and a partial Merkle tree.
 * The block of this chain is the one that the coinbase transaction commits to. Fails with -33000 when that is none of
 * the last twenty works, and for those too as long as the node makes its blocks itself.
 */
export const mnr_submitBitcoinBlockPartialMerkle = defineMethod({
  name: 'mnr_submitBitcoinBlockPartialMerkle',
  summary: 'Submits a parent-chain block by a partial Merkle tree',
  params: [
    param('blockHash', ignoredHash),
    param('blockHeader', bitcoinHeader),
    param('coinbase', bitcoinCoinbase),
    param('merkleHashes', hashList),
    param('transactionCount', transactionCount),
  ],
  result: { description: 'What became of the block', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
  example: {
    params: [
      '3333333333333333333333333333333333333333333333333333333333333333',
      '000000201111111111111111111111111111111111111111111111111111111111111111222222222222222222222222222222222222222222222222222222222222222200f15365ffff7f2000000000',
      '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0400000000ffffffff0100000000000000002b6a2952534b424c4f434b3a1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef00000000',
      '4444444444444444444444444444444444444444444444444444444444444444 5555555555555555555555555555555555555555555555555555555555555555',
      '3',
    ],
    error: {
      code: -33000,
      message:
        'Cannot publish block, could not find hash 0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef in the cache',
    },
    result: null,
  },
  handler: ({ chain }, _blockHash, _header, committedHash, merkleHashes) => {
    if (merkleHashes.length === 0) throw new EmptyMerkleHashesError();
    return chain.work.submit(committedHash);
  },
});
