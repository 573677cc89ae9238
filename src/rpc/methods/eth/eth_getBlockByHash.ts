import { answerBlock } from '../../block-answers.ts';
import { boolean } from '../../codecs/boolean.ts';
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
    params: ['0xd821c9c3e633e3dae649a518737158d92854e9875e7c86735a73ecf03f0858c7', false],
    result: {
      number: '0x1',
      hash: '0xd821c9c3e633e3dae649a518737158d92854e9875e7c86735a73ecf03f0858c7',
      nonce: '0x0000000000000000',
      logsBloom:
        '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
      parentHash: '0xe4d1c2eebb0f8221d90b8a6d83629917eac6f51a309cfb3a9723b0ed8d1602ad',
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
      size: '0x246',
      transactions: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b'],
      uncles: [],
      minimumGasPrice: '0x0',
      parentchainMergedMiningHeader: '0x',
      parentchainMergedMiningCoinbaseTransaction: '0x',
      parentchainMergedMiningMerkleProof: '0x',
      hashForMergedMining: '0x90d43d68641bb3d3fc5a908b7770498c24249245057bf2ff05c3460f72a3a9d4',
      paidFees: '0x0',
    },
  },
  handler: (context, hash, full) => answerBlock(context, { hash }, full),
});
