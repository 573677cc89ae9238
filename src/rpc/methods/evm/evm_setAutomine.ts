import { boolean } from '../../codecs/boolean.ts';
import { defineMethod, param } from '../../method.ts';
import { DIALECT_SETTER, NULL, TRUE } from '../../result-shapes.ts';

/** Switches instant mining; the timer stays as it is. What waits already is mined with the next transaction. */
export const evm_setAutomine = defineMethod({
  name: 'evm_setAutomine',
  aliases: { anvil_setAutomine: NULL, hardhat_setAutomine: TRUE, ganache_setAutomine: TRUE },
  summary: 'Switches instant mining',
  differs: 'Leaves the timer as it is; switching on mines nothing by itself',
  params: [param('enabled', boolean)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: DIALECT_SETTER,
  example: { params: [false], result: null },
  handler: ({ chain }, enabled) => chain.controls.setAutomine(enabled),
});
