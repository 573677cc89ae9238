import { address, data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the code of an account in the state after the head; none for `0x`. Its size is not limited. */
export const anvil_setCode = defineMethod({
  name: 'anvil_setCode',
  aliases: { hardhat_setCode: TRUE, ganache_setCode: TRUE, evm_setAccountCode: TRUE },
  summary: 'Sets the code of an account',
  differs: {
    evm_setAccountCode: 'Mines no block',
  },
  params: [param('address', address), param('code', data)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0x6001600101'], result: null },
  handler: ({ chain }, account, code) => chain.cheats.setCode(account, code),
});
