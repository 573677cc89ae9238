import { arrayOf } from '../../codecs/codec.ts';
import { hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { tracesOfTransaction } from '../../traces.ts';
import { orNull, TRACE_JSON_SCHEMA } from '../../views/json-schemas.ts';

/**
 * One of the traces that trace_transaction lists, by its position there; `null` when there is none. Of several
 * positions the first counts. The network counts in all traces of the block instead.
 */
export const trace_get = defineMethod({
  name: 'trace_get',
  summary: 'One call or creation of a transaction',
  params: [
    param('transactionHash', hash32),
    param('positions', arrayOf(index, 'an array of positions, of which the first counts')),
  ],
  result: { description: 'The trace, or null', schema: orNull(TRACE_JSON_SCHEMA) },
  example: {
    params: ['0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b', ['0x0']],
    result: {
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
  },
  handler: async (context, hash, [position]) => {
    const traces = await tracesOfTransaction(context, hash);
    return (position === undefined ? undefined : traces?.[position]) ?? null;
  },
});
