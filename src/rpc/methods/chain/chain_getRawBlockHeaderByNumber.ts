import { toHex } from '../../../primitives/hex.ts';
import { encodeHeader } from '../../../protocol/header-encoding.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** The encoded header of the block that a selector names; `null` when there is none. */
export const chain_getRawBlockHeaderByNumber = defineMethod({
  name: 'chain_getRawBlockHeaderByNumber',
  aliases: ['rsk_getRawBlockHeaderByNumber'],
  summary: 'The encoded header of a block, by number',
  params: [param('block', blockSelector)],
  result: { description: 'The RLP encoding of the header, or null', schema: orNull(data.jsonSchema) },
  example: {
    params: ['0x1'],
    result:
      '0xf90223a02a830fb9cf73c51447ad8d80456f1e2f9e1a1615475c9f87c582111e383f2032a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da0a85ee680fd006055d2866501a34e26110453c8d3636f5fc054b0ee3cc4dbc9aea0eed06ff84a42f690b15e80b4ace8535f44077eedb1603a27fa8f2e6fe380d48aa05ea58a3d7b9abde3aff0772c4fd7ee9768c3b787335af88f21d74b7ba001cb6eb901000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001018401c9c380825208846553f1018080008080b85000000020000000000000000000000000000000000000000000000000000000000000000026acba96d7b5c1e33535ccbfc6d8d0bf20e1aed3ce8570cc358e98abd225d81400000000ffff7f2000000000',
  },
  handler: async ({ chain }, selector) => {
    const block = await chain.block(selector);
    return block === undefined ? null : toHex(encodeHeader(block.header, chain.ruleSet.encoding));
  },
});
