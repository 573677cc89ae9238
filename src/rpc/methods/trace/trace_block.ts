import { blockSelector } from '../../codecs/block-selector.ts';
import { defineMethod, param } from '../../method.ts';
import { tracesOfBlock } from '../../traces.ts';
import { TRACES_JSON_SCHEMA } from '../../views/json-schemas.ts';

/** The calls and creations of all transactions of a block in a flat list; `null` for an unknown block. */
export const trace_block = defineMethod({
  name: 'trace_block',
  summary: 'The calls and creations of a block',
  params: [param('block', blockSelector)],
  result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
  example: {
    params: ['0x4'],
    result: [
      {
        action: {
          callType: 'call',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          gas: '0x74cd8',
          input: '0x30f3f0dbffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
          to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          value: '0x0',
        },
        blockHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
        blockNumber: 4,
        transactionHash: '0x8311f06835db71fa0db012dddcd730351d2808e03401e8c4cf3cea4e2e2ea8e4',
        transactionPosition: 0,
        type: 'call',
        subtraces: 0,
        traceAddress: [],
        result: null,
        error: 'Reverted',
      },
    ],
  },
  handler: async (context, selector) => {
    const block = await context.chain.block(selector);
    return block === undefined ? null : tracesOfBlock(context, block);
  },
});
