import { boolean } from '../../codecs/basic.ts';
import { defineMethod, param } from '../../method.ts';
import { DIALECT_SETTER, NULL, TRUE } from '../../result-shapes.ts';

/**
 * Switches instant mining; the timer stays as it is, and what waits already is mined with the next transaction. In the
 * dialect anvil switching on mines what waits at once and ends the timer.
 */
export const evm_setAutomine = defineMethod({
  name: 'evm_setAutomine',
  aliases: { anvil_setAutomine: NULL, hardhat_setAutomine: TRUE, ganache_setAutomine: TRUE },
  summary: 'Switches instant mining',
  differs: 'Outside the dialect anvil it leaves the timer as it is, and switching on mines nothing by itself',
  params: [param('enabled', boolean)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: DIALECT_SETTER,
  example: { params: [false], result: null },
  handler: ({ chain, settings }, enabled) => settings.compat.mining.setAutomine(chain, enabled),
});
