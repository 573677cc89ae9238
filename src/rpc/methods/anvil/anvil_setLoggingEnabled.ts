import { boolean } from '../../codecs/basic.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Switches the log that the node writes of requests and blocks. */
export const anvil_setLoggingEnabled = defineMethod({
  name: 'anvil_setLoggingEnabled',
  aliases: { hardhat_setLoggingEnabled: TRUE, ganache_setLoggingEnabled: TRUE },
  summary: 'Switches the log of the node',
  params: [param('enabled', boolean)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: [false], result: null },
  handler: ({ chain }, enabled) => {
    chain.isLogged = enabled;
  },
});
