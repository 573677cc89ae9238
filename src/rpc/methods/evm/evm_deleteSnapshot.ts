import { snapshotId } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';

/** Forgets a snapshot or a checkpoint; the others stay. False when there is none. */
export const evm_deleteSnapshot = defineMethod({
  name: 'evm_deleteSnapshot',
  summary: 'Forgets a snapshot or a checkpoint',
  differs: 'No peer has it',
  params: [param('snapshot', snapshotId)],
  result: { description: 'True when there was one', schema: { type: 'boolean' } },
  example: {
    before: [{ method: 'evm_snapshot', params: ['deployed'] }],
    params: ['deployed'],
    result: true,
  },
  handler: ({ chain }, snapshot) => chain.snapshots.remove(snapshot),
});
