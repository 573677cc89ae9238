import { answerBlock } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { BLOCK_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The block with a hash, its transactions as hashes or in full; `null` when there is none. */
export const eth_getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash',
  params: [param('blockHash', hash32), optional('fullTransactions', boolean, false)],
  result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
  example: {
    params: ['0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2', false],
    result: {
      number: '0x1',
      hash: '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
      nonce: '0x0000000000000000',
      logsBloom:
        '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
      parentHash: '0x2a830fb9cf73c51447ad8d80456f1e2f9e1a1615475c9f87c582111e383f2032',
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      transactionsRoot: '0xeed06ff84a42f690b15e80b4ace8535f44077eedb1603a27fa8f2e6fe380d48a',
      stateRoot: '0xa85ee680fd006055d2866501a34e26110453c8d3636f5fc054b0ee3cc4dbc9ae',
      receiptsRoot: '0x5ea58a3d7b9abde3aff0772c4fd7ee9768c3b787335af88f21d74b7ba001cb6e',
      miner: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
      difficulty: '0x1',
      extraData: '0x',
      gasLimit: '0x1c9c380',
      gasUsed: '0x5208',
      timestamp: '0x6553f101',
      mixHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
      cumulativeDifficulty: '0x1',
      totalDifficulty: '0x2',
      size: '0x2f9',
      transactions: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b'],
      uncles: [],
      minimumGasPrice: '0x0',
      parentchainMergedMiningHeader:
        '0x00000020000000000000000000000000000000000000000000000000000000000000000026acba96d7b5c1e33535ccbfc6d8d0bf20e1aed3ce8570cc358e98abd225d81400000000ffff7f2000000000',
      parentchainMergedMiningCoinbaseTransaction:
        '0x000000000000004086f1945151bb812c183ebcab25e4c7f1fd4354dd91840f57ad0cd4b8395263270100000000000000002b6a2952534b424c4f434b3af193ed87225ecc0cd3abb53fa61f382ffddab32c4933914a5ef8c9a778a331b600000000',
      parentchainMergedMiningMerkleProof: '0x',
      hashForMergedMining: '0xf193ed87225ecc0cd3abb53fa61f382ffddab32c4933914a5ef8c9a778a331b6',
      paidFees: '0x0',
    },
  },
  handler: (context, hash, full) => answerBlock(context, { hash }, full),
});
