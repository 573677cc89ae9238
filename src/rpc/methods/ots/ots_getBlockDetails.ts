import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { defineMethod, param } from '../../method.ts';
import { blockOptions } from '../../otterscan.ts';
import { blockDetailsView } from '../../views/otterscan.ts';

/** A block by number without its transactions, and what their senders paid for gas. */
export const ots_getBlockDetails = defineMethod({
  name: 'ots_getBlockDetails',
  summary: 'A block by number, with the number of its transactions and their fees',
  params: [param('block', blockNumberSelector)],
  result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
  example: {
    params: ['0x3'],
    result: {
      block: {
        number: '0x3',
        hash: '0xe0a2a6c7de945832ad18a03c8cf14531107ec2755ccf79bddd7aef0c6282b51d',
        nonce: '0x0000000000000000',
        logsBloom: null,
        parentHash: '0xedd1e41831eba77f85176a96c1e42e5a44aaecf85b80cbe8a835dc627b69dcea',
        sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
        transactionsRoot: '0xa6faf33488d67a79f9d9b85093caa286e3bf3818e7f284765d70bc9f78767032',
        stateRoot: '0xabe38182c3bb6ebb748cf55f4a63c2e785bf0a3891cae94a9f1d04f87b0fb75a',
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
        hashForMergedMining: '0x80bc724cdf228fda1bdd54f260ce3f10ed4801c445207fd5ceb46861e8b3aadc',
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
  handler: async (context, selector) =>
    blockDetailsView(await requireBlock(context, selector), blockOptions(context)),
});
