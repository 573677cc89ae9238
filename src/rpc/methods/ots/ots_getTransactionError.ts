import { toHex } from '../../../primitives/hex.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { requireFrames } from '../../views/otterscan.ts';

/** The data with which a mined transaction reverted; `0x` for one that did not. */
export const ots_getTransactionError = defineMethod({
  name: 'ots_getTransactionError',
  summary: 'The data with which a transaction reverted',
  params: [param('transactionHash', hash32)],
  result: { description: 'The data', schema: data.jsonSchema },
  example: {
    params: ['0x8311f06835db71fa0db012dddcd730351d2808e03401e8c4cf3cea4e2e2ea8e4'],
    result: '0x4e487b710000000000000000000000000000000000000000000000000000000000000011',
  },
  handler: async (context, hash) => {
    const { end } = await requireFrames(context, hash);
    return end.outcome === 'revert' ? toHex(end.output) : '0x';
  },
});
