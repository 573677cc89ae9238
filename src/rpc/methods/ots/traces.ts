import { toHex } from '../../../primitives/hex.ts';
import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { callEntryViews, internalOperationViews, requireFrames } from '../../views/otterscan.ts';

export const OTS_TRACES: readonly Method[] = [
  /** The lasting effects of code inside a mined transaction: transfers (0), ends of contracts (1), creations (2 and 3). */
  defineMethod({
    name: 'ots_getInternalOperations',
    summary: 'The transfers and creations inside a transaction',
    differs: 'The creation by the transaction itself is not internal, as in Erigon',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: {
      description: 'Type, from, to and value of each',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async (context, hash) => internalOperationViews(await requireFrames(context, hash)),
  }),
  /** The data with which a mined transaction reverted; `0x` for one that did not. */
  defineMethod({
    name: 'ots_getTransactionError',
    summary: 'The data with which a transaction reverted',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: { description: 'The data', schema: data.jsonSchema },
    handler: async (context, hash) => {
      const { end } = await requireFrames(context, hash);
      return end.outcome === 'revert' ? toHex(end.output) : '0x';
    },
  }),
  /** All calls and creations of a mined transaction with their depth, in the order they began. */
  defineMethod({
    name: 'ots_traceTransaction',
    summary: 'The calls of a transaction in one list',
    differs: 'Begins with the transaction itself, as in Erigon',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: { description: 'The calls', schema: { type: 'array', items: { type: 'object' } } },
    handler: async (context, hash) => {
      const pieces = new WorkPieces(context.checkInterrupt);
      return runTask(callEntryViews(await requireFrames(context, hash), pieces));
    },
  }),
];
