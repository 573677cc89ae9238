import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { internalOperationViews, requireFrames } from '../../views/otterscan.ts';

/** What code did inside a mined transaction that lasted: transfers (0), ends of contracts (1), creations (2 and 3). */
export const ots_getInternalOperations = defineMethod({
  name: 'ots_getInternalOperations',
  summary: 'The transfers and creations inside a transaction',
  differs: 'The creation by the transaction itself is not internal, as in Erigon',
  params: [param('transactionHash', hash32)],
  result: {
    description: 'Type, from, to and value of each',
    schema: { type: 'array', items: { type: 'object' } },
  },
  example: {
    params: ['0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb'],
    result: [],
  },
  handler: async (context, hash) => internalOperationViews(await requireFrames(context, hash)),
});
