import { anyObject, text } from '../../codecs/basic.ts';
import { defineMethod, param } from '../../method.ts';

/** Takes note of what a compiler made, for Solidity stack traces. The node makes none, so it answers that it did not take it. */
export const hardhat_addCompilationResult = defineMethod({
  name: 'hardhat_addCompilationResult',
  summary: 'Takes the output of a compiler, which the node has no use for',
  differs: 'Has no effect: the node makes no Solidity stack traces',
  params: [param('solcVersion', text), param('input', anyObject), param('output', anyObject)],
  result: { description: 'False: not taken', schema: { const: false } },
  example: { params: ['0.8.30', {}, {}], result: false },
  handler: () => false,
});
