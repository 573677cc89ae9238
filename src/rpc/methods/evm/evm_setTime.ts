import { pointInTime } from '../../codecs/time.ts';
import { defineMethod, param } from '../../method.ts';
import { FORWARD } from '../../result-shapes.ts';

/** Sets the time of the chain, in seconds or (above 10^12) in milliseconds since 1970; it goes on from there. Set back, it
 * lets blocks be a second apart until it has caught up with them. */
export const evm_setTime = defineMethod({
  name: 'evm_setTime',
  aliases: { anvil_setTime: FORWARD },
  summary: 'Sets the time of the chain',
  differs: 'Values above 10^12 are milliseconds, others seconds; Ganache takes all for milliseconds',
  params: [param('time', pointInTime)],
  result: { description: 'The seconds by which it was moved', schema: { type: 'integer' } },
  example: { params: ['0x6553f200'], result: 256 },
  handler: ({ chain }, timestamp) => chain.controls.setTime(timestamp),
});
