import { snapshotId } from '../../codecs/settings.ts';
import { defineMethod, param, SAME } from '../../method.ts';

/**
 * Puts the chain back to a snapshot, which is used up, or to a checkpoint, which stays; later ones are used up. False
 * when there is none.
 */
export const evm_revert = defineMethod({
  name: 'evm_revert',
  aliases: { anvil_revert: SAME },
  summary: 'Puts the chain back to a snapshot',
  differs: 'Filters and subscriptions are told of what went away',
  params: [param('snapshot', snapshotId)],
  result: { description: 'True when the chain was put back', schema: { type: 'boolean' } },
  example: { before: [{ method: 'evm_snapshot', params: [] }], params: ['0x1'], result: true },
  handler: ({ chain }, snapshot) => chain.snapshots.revert(snapshot),
});
