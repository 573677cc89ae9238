import { text } from '../../codecs/plain.ts';
import { NoForkError } from '../../errors.ts';
import { defineMethod, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

/** Always an error: the node forks no chain whose address could change. */
export const anvil_setRpcUrl = defineMethod({
  name: 'anvil_setRpcUrl',
  aliases: { hardhat_setRpcUrl: TRUE, ganache_setRpcUrl: TRUE },
  summary: 'Refused: the node forks no other chain',
  differs: 'Always refused',
  params: [param('url', text)],
  result: { description: 'Never a result', schema: { type: 'null' } },
  example: {
    params: ['http://127.0.0.1:8545'],
    result: null,
    error: { code: -32602, message: 'The node does not fork another chain' },
  },
  handler: () => {
    throw new NoForkError();
  },
});
