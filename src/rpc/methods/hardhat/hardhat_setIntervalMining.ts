import { blockTimeOf, intervalAmount } from '../../codecs/time.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

const MILLISECOND = 0.001;

/** Sets the milliseconds between blocks on a timer, or bounds in milliseconds between which each distance is drawn. 0 stops the
 * timer; instant mining stays as it is. */
export const hardhat_setIntervalMining = defineMethod({
  name: 'hardhat_setIntervalMining',
  summary: 'Sets the milliseconds between blocks on a timer',
  differs: 'Not in Hardhat, where `evm_setIntervalMining` does it',
  params: [param('interval', intervalAmount)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: [['0xbb8', '0x1388']], result: true },
  handler: ({ chain }, interval) => chain.controls.setBlockTime(blockTimeOf(interval, MILLISECOND)),
});
