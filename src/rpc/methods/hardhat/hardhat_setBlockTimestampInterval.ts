import { wholeSecondsInMilliseconds } from '../../codecs/time.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Sets the time from each block to the next, in milliseconds as this family of names has it; it must be whole seconds. */
export const hardhat_setBlockTimestampInterval = defineMethod({
  name: 'hardhat_setBlockTimestampInterval',
  summary: 'Sets the milliseconds from each block to the next',
  differs: 'Not in Hardhat; viem sends it in that mode',
  params: [param('interval', wholeSecondsInMilliseconds)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0x2ee0'], result: true },
  handler: ({ chain }, interval) => chain.controls.setTimestampInterval(interval),
});
