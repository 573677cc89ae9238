import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { defineMethod, param } from '../../method.ts';
import { blockDetailsView, otterscanOptions } from '../../views/otterscan.ts';

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
        hash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
        nonce: '0x0000000000000000',
        logsBloom: null,
        parentHash: '0x32fe5ec101052e1507a35afc57327afa1327240e8db649a955e3d3fdff264265',
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
        parentchainMergedMiningHeader:
          '0x00000020000000000000000000000000000000000000000000000000000000000000000054de900b498a41474a519395d9cdf3a351694cf4ab9d9b333e0dfa4b48c69d2700000000ffff7f2003000000',
        parentchainMergedMiningCoinbaseTransaction:
          '0x000000000000004086f1945151bb812c183ebcab25e4c7f1fd4354dd91840f57ad0cd4b8395263270100000000000000002b6a2952534b424c4f434b3afc503a28297b0f8e6a86a993a698c6756a6cbc19ba07b410933a812d39bafbe100000000',
        parentchainMergedMiningMerkleProof: '0x',
        hashForMergedMining: '0xfc503a28297b0f8e6a86a993a698c6756a6cbc19ba07b410933a812d39bafbe1',
        paidFees: '0x0',
        cumulativeDifficulty: '0x1',
        totalDifficulty: '0x4',
        size: '0x316',
        uncles: [],
        transactionCount: 1,
      },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: '0x0',
    },
  },
  handler: async (context, selector) =>
    blockDetailsView(await requireBlock(context, selector), otterscanOptions(context)),
});
