import { blockTimeOf, intervalAmount } from '../../codecs/time.ts';
import { defineMethod, param } from '../../method.ts';
import { DIALECT_SETTER } from '../../result-shapes.ts';

/**
 * Sets the time between blocks on a timer: seconds, milliseconds with the dialect hardhat; bounds between which each
 * distance is drawn are always in milliseconds. 0 stops the timer. Instant mining stays as it is, but in the dialect anvil it
 * ends.
 */
export const evm_setIntervalMining = defineMethod({
  name: 'evm_setIntervalMining',
  summary: 'Sets the seconds between blocks on a timer, milliseconds with the dialect hardhat',
  differs:
    '0 stops the timer; instant mining ends only in the dialect anvil; `[least, most]` is in milliseconds',
  params: [param('interval', intervalAmount)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: DIALECT_SETTER,
  example: { params: ['0x5'], result: null },
  handler: ({ chain, settings }, interval) =>
    settings.compat.mining.setBlockTime(chain, blockTimeOf(interval, settings.compat.intervalUnit)),
});
