import { proofOfTransactions } from '../../../protocol/merged-mining/solution.ts';
import { bitcoinCoinbase, bitcoinHeader, hashList, ignoredHash } from '../../codecs/work.ts';
import { defineMethod, param } from '../../method.ts';
import { SUBMITTED_BLOCK_JSON_SCHEMA, submittedBlockView } from '../../views/submitted-block.ts';

/**
 * Submits a solved parent-chain block as its header, its coinbase transaction and the hashes of its transactions.
 * The hashes are those of all transactions, the coinbase transaction's first, as block explorers show them. The block of
 * this chain is the one that the coinbase transaction commits to. Fails with -33000 when that is none of the last twenty
 * works, or when it does not prove that work.
 */
export const mnr_submitBitcoinBlockTransactions = defineMethod({
  name: 'mnr_submitBitcoinBlockTransactions',
  summary: 'Submits a parent-chain block by its transaction hashes',
  params: [
    param('blockHash', ignoredHash),
    param('blockHeader', bitcoinHeader),
    param('coinbase', bitcoinCoinbase),
    param('transactionHashes', hashList),
  ],
  result: { description: 'What became of the block', schema: SUBMITTED_BLOCK_JSON_SCHEMA },
  example: {
    params: [
      '3333333333333333333333333333333333333333333333333333333333333333',
      '000000201111111111111111111111111111111111111111111111111111111111111111222222222222222222222222222222222222222222222222222222222222222200f15365ffff7f2000000000',
      '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0400000000ffffffff0100000000000000002b6a2952534b424c4f434b3a1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef00000000',
      '4444444444444444444444444444444444444444444444444444444444444444 5555555555555555555555555555555555555555555555555555555555555555',
    ],
    error: {
      code: -33000,
      message:
        'Cannot publish block, could not find hash 0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef in the cache',
    },
    result: null,
  },
  handler: async ({ chain }, _blockHash, header, { transaction, commitment }, hashes) => {
    const hashed = hashes.map((hash) => hash.toReversed());
    const prove = () => proofOfTransactions({ header, coinbase: transaction }, hashed);
    return submittedBlockView(await chain.work.submit(commitment, prove));
  },
});
