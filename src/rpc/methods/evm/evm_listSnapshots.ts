import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** The snapshots and checkpoints that can be gone back to, oldest first. */
export const evm_listSnapshots = defineMethod({
  name: 'evm_listSnapshots',
  summary: 'The snapshots and checkpoints of the chain',
  differs: 'No peer has it',
  params: [],
  result: {
    description: 'The id or name of each, and the number of its head block',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, blockNumber: QUANTITY_JSON_SCHEMA },
        required: ['id', 'blockNumber'],
      },
    },
  },
  example: {
    before: [
      { method: 'evm_snapshot', params: [] },
      { method: 'evm_snapshot', params: ['deployed'] },
    ],
    params: [],
    result: [
      { id: '0x1', blockNumber: '0x4' },
      { id: 'deployed', blockNumber: '0x4' },
    ],
  },
  handler: ({ chain }) =>
    chain.snapshots.list().map(({ id, head }) => ({
      id: typeof id === 'number' ? toQuantity(id) : id,
      blockNumber: toQuantity(head),
    })),
});
