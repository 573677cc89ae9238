import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/** Keeps the state of the whole chain for `evm_revert`. Ids count up and are never used again. */
export const evm_snapshot = defineMethod({
  name: 'evm_snapshot',
  summary: 'Keeps the state of the chain',
  params: [],
  result: { description: 'The id of the snapshot', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x1' },
  handler: async ({ chain }) => toQuantity(await chain.snapshot()),
});
