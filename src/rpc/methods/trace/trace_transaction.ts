import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { tracesOfTransaction } from '../../traces.ts';
import { TRACES_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The calls and creations of a mined transaction in a flat list; `null` for an unknown one. */
export const trace_transaction = defineMethod({
  name: 'trace_transaction',
  summary: 'The calls and creations of a transaction',
  params: [param('transactionHash', hash32)],
  result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
  example: {
    params: ['0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb'],
    result: [
      {
        action: {
          callType: 'call',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          gas: '0x74e4c',
          input: '0x30f3f0db000000000000000000000000000000000000000000000000000000000000002a',
          to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          value: '0x0',
        },
        blockHash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
        blockNumber: 3,
        transactionHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
        transactionPosition: 0,
        type: 'call',
        subtraces: 0,
        traceAddress: [],
        result: { gasUsed: '0x580b', output: '0x' },
      },
    ],
  },
  handler: tracesOfTransaction,
});
