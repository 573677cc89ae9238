import { toQuantity } from '../../../primitives/hex.ts';
import { checkpointName } from '../../codecs/settings.ts';
import { defineMethod, optional, SAME } from '../../method.ts';

/**
 * Keeps the whole chain as it is for `evm_revert`: blocks, pool, clock, miner, settings, impersonation. Ids count up and
 * are never used again. With a name it is a checkpoint, which can be gone back to many times.
 */
export const evm_snapshot = defineMethod({
  name: 'evm_snapshot',
  aliases: { anvil_snapshot: SAME },
  summary: 'Keeps the state of the chain',
  differs:
    'Ids count up from 0x1 and are never used again. It keeps pool, clock, miner and impersonation too. With a name it is a checkpoint, which a revert does not use up',
  params: [optional('name', checkpointName, null)],
  result: {
    description: 'The id of the snapshot, or the name of the checkpoint',
    schema: { type: 'string' },
  },
  example: { params: [], result: '0x1' },
  handler: async ({ chain }, name) => {
    if (name === null) return toQuantity(await chain.snapshots.take());
    await chain.snapshots.takeNamed(name);
    return name;
  },
});
