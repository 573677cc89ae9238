import { BlockNotFoundError } from '../../../chain/errors.ts';
import { describeSelector } from '../../../chain/execution/block-selector.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { decodeBlock } from '../../../protocol/header-decoding.ts';
import { encodeBlock, headerHash } from '../../../protocol/header-encoding.ts';
import { data } from '../../codecs/data.ts';
import { DEFAULT_TRACE_OPTIONS, traceOptions } from '../../codecs/trace-options.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { debugTracesOfBlock } from '../../traces.ts';

/**
 * As debug_traceBlockByHash, for a block in the encoding that debug_getRawBlock gives. A block that is not on the chain is
 * an error.
 */
export const debug_traceBlock = defineMethod({
  name: 'debug_traceBlock',
  summary: 'What the transactions of a block did, by its encoding',
  params: [param('block', data), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
  result: {
    description: 'The traces, in the order of the transactions',
    schema: { type: 'array', items: { type: 'object' } },
  },
  example: {
    params: [
      '0xf90313f90287a032fe5ec101052e1507a35afc57327afa1327240e8db649a955e3d3fdff264265a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794ec4ddeb4380ad69b3e509baad9f158cdf4e4681da0bebbd6328700304f2655c14d754941b6604a549d054ac4fd255bdee62a3be47ea0a6faf33488d67a79f9d9b85093caa286e3bf3818e7f284765d70bc9f78767032a03cead7c6ef38957603fc91f4439f4cedcce65f658da9c89e5a23966721c7dc9ab901000000000000000000000000000000000000000000000000000000000000000000000000000000400000000000000000001000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000100000000000200000000000000000000010000000000000000008000000002000000000000000000080000000000000000001038401c9c38082aadf846553f1038080008080b85000000020000000000000000000000000000000000000000000000000000000000000000054de900b498a41474a519395d9cdf3a351694cf4ab9d9b333e0dfa4b48c69d2700000000ffff7f200300000080b861000000000000004086f1945151bb812c183ebcab25e4c7f1fd4354dd91840f57ad0cd4b8395263270100000000000000002b6a2952534b424c4f434b3afc503a28297b0f8e6a86a993a698c6756a6cbc19ba07b410933a812d39bafbe100000000f886f88402808307a12094e7f1725e7734ce288f8367e1bb143e90bb3f051280a430f3f0db000000000000000000000000000000000000000000000000000000000000002a66a0dbf317382d6e58b3a75279b51785d9a3ab42d5dda3dc218c417cd743650f825aa07356ef2c0c793cffaefe9fd2e2b9bd7cdc93d49bf940c92fa367f6435b92735cc0',
      { tracer: '4byteTracer' },
    ],
    result: [
      {
        txHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
        result: { '0x30f3f0db-32': 1 },
      },
    ],
  },
  handler: async (context, raw, options) => {
    const { chain } = context;
    const { encoding } = chain.ruleSet;
    const { header } = decodeBlock(raw, encoding);
    const block = await chain.block({ number: BigInt(header.number) });
    if (block === undefined || !equalBytes(encodeBlock(block, encoding), raw)) {
      const wanted = describeSelector({ hash: headerHash(header, encoding) });
      throw new BlockNotFoundError(wanted, chain.head().header.number);
    }
    return debugTracesOfBlock(context, block, options);
  },
});
