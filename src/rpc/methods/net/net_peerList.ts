import { defineMethod } from '../../method.ts';

/** None: the node stands alone. */
export const net_peerList = defineMethod({
  name: 'net_peerList',
  summary: 'The known peers',
  params: [],
  result: { description: 'One text per known peer', schema: { type: 'array', items: { type: 'string' } } },
  example: { params: [], result: [] },
  handler: () => [],
});
