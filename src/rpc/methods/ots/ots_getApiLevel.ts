import { defineMethod } from '../../method.ts';

/** The level that the explorer Otterscan asks for before it talks to a node. */
const API_LEVEL = 8;

/** The version of the methods `ots_…` that the node has, by which the block explorer Otterscan knows it. */
export const ots_getApiLevel = defineMethod({
  name: 'ots_getApiLevel',
  summary: 'The version of the methods for the explorer Otterscan',
  params: [],
  result: { description: 'The version', schema: { type: 'integer' } },
  example: { params: [], result: API_LEVEL },
  handler: () => API_LEVEL,
});
