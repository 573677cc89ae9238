import { requireBlock } from '../../block-answers.ts';
import { hash32 } from '../../codecs/data.ts';
import { DEFAULT_TRACE_OPTIONS, traceOptions } from '../../codecs/trace-options.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { debugTracesOfBlock } from '../../traces.ts';

/**
 * Runs the transactions of the block with a hash again and gives the trace of each, as debug_traceTransaction does,
 * with its transaction's hash; the network's own tracer lists bare traces. An unknown block is an error.
 */
export const debug_traceBlockByHash = defineMethod({
  name: 'debug_traceBlockByHash',
  summary: 'What the transactions of a block did, by its hash',
  params: [param('blockHash', hash32), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
  result: {
    description: 'The traces, in the order of the transactions',
    schema: { type: 'array', items: { type: 'object' } },
  },
  example: {
    params: ['0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789', { tracer: '4byteTracer' }],
    result: [
      {
        txHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
        result: { '0x30f3f0db-32': 1 },
      },
    ],
  },
  handler: async (context, hash, options) =>
    debugTracesOfBlock(context, await requireBlock(context, { hash }), options),
});
