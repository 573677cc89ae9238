import { seconds } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';

/** Moves the chain's clock forward for good and gives how far it is ahead in all. The form follows the dialect. */
export const evm_increaseTime = defineMethod({
  name: 'evm_increaseTime',
  summary: 'Moves the clock of the chain forward',
  params: [param('seconds', seconds)],
  result: { description: 'The total offset in seconds', schema: { type: ['string', 'number'] } },
  example: { params: ['0xe10'], result: '0xe10' },
  handler: async ({ chain, settings }, offset) =>
    settings.compat.timeOffset(await chain.increaseTime(offset)),
});
