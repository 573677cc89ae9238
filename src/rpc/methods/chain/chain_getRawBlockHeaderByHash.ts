import { toHex } from '../../../primitives/hex.ts';
import { encodeHeader } from '../../../rules/header-encoding.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The encoded header of the block with a hash, which is its Keccak; `null` when there is none. */
export const chain_getRawBlockHeaderByHash = defineMethod({
  name: 'chain_getRawBlockHeaderByHash',
  aliases: ['rsk_getRawBlockHeaderByHash'],
  summary: 'The encoded header of a block, by hash',
  params: [param('blockHash', hash32)],
  result: { description: 'The RLP encoding of the header, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0xd821c9c3e633e3dae649a518737158d92854e9875e7c86735a73ecf03f0858c7'],
    result:
      '0xf901d2a0e4d1c2eebb0f8221d90b8a6d83629917eac6f51a309cfb3a9723b0ed8d1602ada01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da0a85ee680fd006055d2866501a34e26110453c8d3636f5fc054b0ee3cc4dbc9aea0eed06ff84a42f690b15e80b4ace8535f44077eedb1603a27fa8f2e6fe380d48aa05ea58a3d7b9abde3aff0772c4fd7ee9768c3b787335af88f21d74b7ba001cb6eb901000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001018401c9c380825208846553f101808000808080',
  },
  handler: async ({ chain }, blockHash) => {
    const block = await chain.block({ hash: blockHash });
    return block === undefined ? null : toHex(encodeHeader(block.header, chain.ruleSet.encoding));
  },
});
