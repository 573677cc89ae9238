import { defineMethod } from '../../method.ts';

/** Never: a lone node has nobody to catch up with. */
export const eth_syncing = defineMethod({
  name: 'eth_syncing',
  summary: 'The sync status',
  params: [],
  result: { description: '`false`, since a lone node never syncs', schema: { type: 'boolean' } },
  example: { params: [], result: false },
  handler: () => false,
});
