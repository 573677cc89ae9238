import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { DEFAULT_TRACE_CALL_OPTIONS, traceCallOptions } from '../../codecs/trace-options.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';

/**
 * Runs a message on the state after a block, as eth_call does, and gives what it did. The options may say what
 * accounts (`stateOverrides`) and the block around the call (`blockOverrides`) are to be for this once.
 */
export const debug_traceCall = defineMethod({
  name: 'debug_traceCall',
  summary: 'What a call would do, step by step or as a tracer tells it',
  params: [
    param('call', callObject),
    optional('block', blockSelector, LATEST),
    optional('options', traceCallOptions, DEFAULT_TRACE_CALL_OPTIONS),
  ],
  result: { description: 'The trace, in the form of the tracer' },
  example: {
    params: [
      { to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', data: '0x06661abd' },
      'latest',
      { tracer: 'callTracer' },
    ],
    result: {
      from: '0x0000000000000000000000000000000000000000',
      gas: '0x1c9c380',
      gasUsed: '0x53af',
      to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
      input: '0x06661abd',
      output: '0x000000000000000000000000000000000000000000000000000000000000002a',
      value: '0x0',
      type: 'CALL',
    },
  },
  handler: (context, call, block, { createTracer, overrides }) => {
    const { chain, checkInterrupt } = context;
    return chain.tracing.call(callMessage(context, call), block, createTracer, overrides, checkInterrupt);
  },
});
