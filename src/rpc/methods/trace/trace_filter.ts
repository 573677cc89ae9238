import { TraceFilterError } from '../../errors.ts';
import { defineMethod, optional } from '../../method.ts';
import { findTraces, type TraceFilter, traceFilter } from '../../traces.ts';
import { TRACE_JSON_SCHEMA } from '../../views/json-schemas.ts';

/**
 * The calls and creations of the transactions in a range of blocks, from any of `fromAddress` and to any of
 * `toAddress`. All traces of such a transaction are listed; `after` skips traces, `count` (at most 10000) limits them.
 */
export const trace_filter = defineMethod({
  name: 'trace_filter',
  summary: 'The calls and creations of transactions that match a filter',
  params: [optional<TraceFilter | null>('filter', traceFilter, null)],
  result: { description: 'The traces', schema: { type: 'array', items: TRACE_JSON_SCHEMA } },
  example: {
    params: [
      {
        fromAddress: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
        toAddress: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
      },
    ],
    result: [
      {
        action: {
          callType: 'call',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          gas: '0x0',
          input: '0x',
          to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          value: '0xde0b6b3a7640000',
        },
        blockHash: '0xa27db4e1a8cda72c3080f721ccf009fa40433fe30f1d34d46e4c8fd6ba2029b2',
        blockNumber: 1,
        transactionHash: '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
        transactionPosition: 0,
        type: 'call',
        subtraces: 0,
        traceAddress: [],
        result: { gasUsed: '0x0', output: '0x' },
      },
    ],
  },
  handler: async (context, filter) => {
    if (filter === null) throw new TraceFilterError('Invalid trace_filter parameters.');
    return findTraces(context, filter);
  },
});
