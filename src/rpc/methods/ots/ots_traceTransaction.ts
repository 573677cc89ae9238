import { perform } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { callEntryViews, requireFrames } from '../../views/otterscan.ts';

/** All calls and creations of a mined transaction with their depth, in the order they began. */
export const ots_traceTransaction = defineMethod({
  name: 'ots_traceTransaction',
  summary: 'The calls of a transaction in one list',
  differs: 'Begins with the transaction itself, as in Erigon',
  params: [param('transactionHash', hash32)],
  result: { description: 'The calls', schema: { type: 'array', items: { type: 'object' } } },
  example: {
    params: ['0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb'],
    result: [
      {
        type: 'CALL',
        depth: 0,
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
        value: '0x0',
        input: '0x30f3f0db000000000000000000000000000000000000000000000000000000000000002a',
        output: '0x',
      },
    ],
  },
  handler: async (context, hash) => {
    const pieces = new WorkPieces(context.checkInterrupt);
    return perform(callEntryViews(await requireFrames(context, hash), pieces));
  },
});
