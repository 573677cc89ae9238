import { requireBlock } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { blockOptions } from '../../otterscan.ts';
import { blockDetailsView } from '../../views/otterscan.ts';

/** A block by hash without its transactions, and what their senders paid for gas. */
export const ots_getBlockDetailsByHash = defineMethod({
  name: 'ots_getBlockDetailsByHash',
  summary: 'A block by hash, with the number of its transactions and their fees',
  params: [param('blockHash', hash32)],
  result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
  example: {
    params: ['0x99d0a3db3210fb2c943c9d18e04ddc79e26e5c131ca9143ecc1008847faa4b23'],
    result: {
      block: {
        number: '0x3',
        hash: '0x99d0a3db3210fb2c943c9d18e04ddc79e26e5c131ca9143ecc1008847faa4b23',
        nonce: '0x0000000000000000',
        logsBloom: null,
        parentHash: '0x9dd20df9ef3346d72cb0575a2a5845e348e211fd6e27b5cb3e3cac4677260164',
        sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
        transactionsRoot: '0xa6faf33488d67a79f9d9b85093caa286e3bf3818e7f284765d70bc9f78767032',
        stateRoot: '0xbebbd6328700304f2655c14d754941b6604a549d054ac4fd255bdee62a3be47e',
        receiptsRoot: '0x3cead7c6ef38957603fc91f4439f4cedcce65f658da9c89e5a23966721c7dc9a',
        miner: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
        difficulty: '0x1',
        extraData: '0x',
        gasLimit: '0x1c9c380',
        gasUsed: '0xaadf',
        timestamp: '0x6553f103',
        mixHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
        minimumGasPrice: '0x0',
        parentchainMergedMiningHeader: '0x',
        parentchainMergedMiningCoinbaseTransaction: '0x',
        parentchainMergedMiningMerkleProof: '0x',
        hashForMergedMining: '0x64f8b85dd1f6649ee51da8b383a2532b1100537205e30ca6e1bc195ec433e237',
        paidFees: '0x0',
        cumulativeDifficulty: '0x1',
        totalDifficulty: '0x4',
        size: '0x263',
        uncles: [],
        transactionCount: 1,
      },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: '0x0',
    },
  },
  handler: async (context, hash) =>
    blockDetailsView(await requireBlock(context, { hash }), blockOptions(context)),
});
