import { index } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** Puts the chain back to a snapshot, which is used up together with all later ones; false when there is none. */
export const evm_revert = defineMethod({
  name: 'evm_revert',
  summary: 'Puts the chain back to a snapshot',
  params: [param('snapshot', index)],
  result: { description: 'True when the chain was put back', schema: { type: 'boolean' } },
  example: { before: [{ method: 'evm_snapshot', params: [] }], params: ['0x1'], result: true },
  handler: ({ chain }, snapshot) => chain.revert(snapshot),
});
