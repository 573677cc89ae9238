import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { DEFAULT_TRACE_OPTIONS, traceOptions } from '../../codecs/trace-options.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { debugTracesOfBlock } from '../../traces.ts';

/**
 * Runs the transactions of the block with a number or tag again and gives the trace of each, as debug_traceTransaction does,
 * with its transaction's hash; the network's own tracer lists bare traces. An unknown block is an error.
 */
export const debug_traceBlockByNumber = defineMethod({
  name: 'debug_traceBlockByNumber',
  summary: 'What the transactions of a block did, by its number or tag',
  params: [param('block', blockNumberSelector), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
  result: {
    description: 'The traces, in the order of the transactions',
    schema: { type: 'array', items: { type: 'object' } },
  },
  example: {
    params: ['0x1'],
    result: [
      {
        txHash: '0xb07b0914c1008f31f12ee643a26b75e0ad8c939e7d39f7c7e2732f9a5c7b410b',
        result: { gas: 21000, failed: false, returnValue: '0x', structLogs: [] },
      },
    ],
  },
  handler: async (context, selector, options) =>
    debugTracesOfBlock(context, await requireBlock(context, selector), options),
});
