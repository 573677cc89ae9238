import { seconds } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TIMESTAMP, TRUE } from '../../result-shapes.ts';

/** Sets the timestamp (seconds since 1970) of the next block, once; time goes on from it. It must be after the head's, or not
 * before it with `--allow-blocks-with-same-timestamp`. */
export const evm_setNextBlockTimestamp = defineMethod({
  name: 'evm_setNextBlockTimestamp',
  aliases: { anvil_setNextBlockTimestamp: NULL, hardhat_setNextBlockTimestamp: TRUE },
  summary: 'Sets the timestamp of the next block',
  differs:
    "Must be later than the head's; an equal one is taken with `--allow-blocks-with-same-timestamp` alone",
  params: [param('timestamp', seconds)],
  result: { description: 'Nothing of meaning', schema: { type: ['string', 'boolean', 'null'] } },
  shape: TIMESTAMP,
  example: { params: ['0x6553f200'], result: null },
  handler: async ({ chain }, timestamp) => {
    await chain.controls.setNextTimestamp(timestamp);
    return timestamp;
  },
});
