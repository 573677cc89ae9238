import { defineMethod } from '../../method.ts';

/** The number of Solidity stack traces that could not be made: none, as the node makes none. */
export const hardhat_getStackTraceFailuresCount = defineMethod({
  name: 'hardhat_getStackTraceFailuresCount',
  summary: 'The number of stack traces that could not be made',
  differs: 'Always 0',
  params: [],
  result: { description: 'Always 0', schema: { const: 0 } },
  example: { params: [], result: 0 },
  handler: () => 0,
});
