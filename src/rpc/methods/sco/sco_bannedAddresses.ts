import { defineMethod } from '../../method.ts';

/** The banned addresses and ranges in the order they were banned. */
export const sco_bannedAddresses = defineMethod({
  name: 'sco_bannedAddresses',
  summary: 'The banned addresses',
  params: [],
  result: { description: 'Addresses and ranges', schema: { type: 'array', items: { type: 'string' } } },
  example: {
    before: [{ method: 'sco_banAddress', params: ['203.0.113.0/24'] }],
    params: [],
    result: ['203.0.113.0/24'],
  },
  handler: ({ peers }) => peers.bannedAddresses(),
});
