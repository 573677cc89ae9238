import { toHex } from '../../../primitives/hex.ts';
import { encodeHeader } from '../../../rules/header-encoding.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';

/** The encoding of a block's header; its hash is the block's. */
export const debug_getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  summary: 'The encoding of the header of a block',
  params: [param('block', blockSelector)],
  result: { description: 'The header in RLP', schema: data.jsonSchema },
  example: {
    params: ['0x1'],
    result:
      '0xf901d2a0e4d1c2eebb0f8221d90b8a6d83629917eac6f51a309cfb3a9723b0ed8d1602ada01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da0a85ee680fd006055d2866501a34e26110453c8d3636f5fc054b0ee3cc4dbc9aea0eed06ff84a42f690b15e80b4ace8535f44077eedb1603a27fa8f2e6fe380d48aa05ea58a3d7b9abde3aff0772c4fd7ee9768c3b787335af88f21d74b7ba001cb6eb901000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001018401c9c380825208846553f101808000808080',
  },
  handler: async (context, selector) => {
    const { header } = await requireBlock(context, selector);
    return toHex(encodeHeader(header, context.chain.ruleSet.encoding));
  },
});
