import { perform } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { PartialStateError } from '../../errors.ts';
import { defineMethod, param } from '../../method.ts';
import { stateDumpView } from '../../views/state-dump.ts';

/** All accounts after a block, with code and storage. Numbers are written in decimal, digits of storage without `0x`. */
export const debug_dumpBlock = defineMethod({
  name: 'debug_dumpBlock',
  summary: 'All accounts after a block',
  params: [param('block', blockNumberSelector)],
  result: {
    description: 'The state root and the accounts by address',
    schema: {
      type: 'object',
      properties: { root: { type: 'string' }, accounts: { type: 'object' } },
      required: ['root', 'accounts'],
    },
  },
  example: {
    params: ['0x0'],
    isExcerpt: true,
    result: {
      root: 'd1d86ad9aefed70edcc769df34407b4b91a269e7a7e4ea856d1afe6b94117e84',
      accounts: {
        '0x70997970c51812dc3a010c7d01b50e0d17dc79c8': {
          balance: '10000000000000000000000',
          nonce: 0,
          root: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
          codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
          address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          key: '0x00314e565e0574cb412563df634608d76f5c59d9f817e85966100ec1d48005c0',
        },
      },
    },
  },
  handler: async ({ chain, checkInterrupt }, selector) => {
    const { state } = await chain.view(selector);
    if (chain.upstreamFork !== null) throw new PartialStateError('state');
    return perform(stateDumpView(state, new WorkPieces(checkInterrupt)));
  },
});
