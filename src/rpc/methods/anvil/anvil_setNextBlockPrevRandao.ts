import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets what PREVRANDAO answers in the next block, once; the values after it follow from that block. An error under rule
 * sets before proof of stake. */
export const anvil_setNextBlockPrevRandao = defineMethod({
  name: 'anvil_setNextBlockPrevRandao',
  aliases: { anvil_setPrevRandao: NULL, hardhat_setPrevRandao: TRUE },
  summary: 'Sets PREVRANDAO of the next block',
  differs: "An error under the network's own rules, which have no PREVRANDAO",
  params: [param('prevRandao', hash32)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: {
    params: ['0x1111111111111111111111111111111111111111111111111111111111111111'],
    result: null,
    error: {
      code: -32602,
      message:
        'Blocks have no PREVRANDAO under the rule set rootstock; choose another rule set with --hardfork',
    },
  },
  handler: ({ chain }, prevRandao) => chain.controls.setNextPrevRandao(prevRandao),
});
