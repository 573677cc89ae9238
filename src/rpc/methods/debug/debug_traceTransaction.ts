import { hash32 } from '../../codecs/data.ts';
import { DEFAULT_TRACE_OPTIONS, traceOptions } from '../../codecs/trace-options.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';

/**
 * Runs a mined transaction again, on the state that it ran on, and gives what it did: struct logs, or what the tracer
 * that the options name makes of it. An unknown hash is an error.
 */
export const debug_traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  summary: 'What a mined transaction did, step by step or as a tracer tells it',
  params: [param('transactionHash', hash32), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
  result: { description: 'The trace, in the form of the tracer' },
  example: {
    params: [
      '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
      { tracer: 'callTracer', tracerConfig: { withLog: true } },
    ],
    result: {
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      gas: '0x7a120',
      gasUsed: '0xaadf',
      to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
      input: '0x30f3f0db000000000000000000000000000000000000000000000000000000000000002a',
      logs: [
        {
          address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          topics: [
            '0x8b05844824acf2db2f068e4006ef99b307ca4fe1a896d06e884700f1a9da3a6d',
            '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            '0x000000000000000000000000000000000000000000000000000000000000002a',
          ],
          data: '0x000000000000000000000000000000000000000000000000000000000000002a',
          index: '0x0',
          position: '0x0',
        },
      ],
      value: '0x0',
      type: 'CALL',
    },
  },
  handler: async ({ chain, checkInterrupt }, hash, { createTracer }) => {
    const { block, index } = await requireTransaction(chain, hash);
    return chain.tracing.transaction(block, index, createTracer, checkInterrupt);
  },
});
