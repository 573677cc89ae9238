import { extraData } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Sets what the next blocks carry as extra data, at most 32 bytes. */
export const miner_setExtra = defineMethod({
  name: 'miner_setExtra',
  summary: 'Sets the extra data of the next blocks',
  params: [param('data', extraData)],
  result: { description: 'True', schema: { const: true } },
  shape: TRUE,
  example: { params: ['0x6e6f6465'], result: true },
  handler: ({ chain }, bytes) => chain.controls.changeSettings({ extraData: bytes }),
});
