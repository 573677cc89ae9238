import { seconds } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { SECONDS, TIME_OFFSET } from '../../result-shapes.ts';

/** Moves the chain's clock forward for good and gives how far it is ahead in all. The form follows the dialect. */
export const evm_increaseTime = defineMethod({
  name: 'evm_increaseTime',
  aliases: { anvil_increaseTime: SECONDS },
  summary: 'Moves the clock of the chain forward',
  differs: 'The total, never less than what was added: the clock does not stand still after a revert',
  params: [param('seconds', seconds)],
  result: { description: 'The total offset in seconds', schema: { type: ['string', 'number'] } },
  example: { params: ['0xe10'], result: '0xe10' },
  shape: TIME_OFFSET,
  handler: ({ chain }, offset) => chain.controls.increaseTime(offset),
});
