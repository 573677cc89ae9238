import { address } from '../../codecs/data.ts';
import { accountNonce } from '../../codecs/settings.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

/** Sets the nonce of an account in the state after the head, lower than before too. Transactions in the pool whose nonce is
 * below it by then are dropped. */
export const anvil_setNonce = defineMethod({
  name: 'anvil_setNonce',
  aliases: { hardhat_setNonce: TRUE, ganache_setNonce: TRUE, evm_setAccountNonce: TRUE },
  summary: 'Sets the nonce of an account',
  differs: {
    anvil_setNonce: 'Transactions of the pool below the nonce are dropped',
    hardhat_setNonce: 'May be lower than before, and set while transactions wait; those below it are dropped',
    evm_setAccountNonce: 'Mines no block',
  },
  params: [param('address', address), param('nonce', accountNonce)],
  result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
  shape: NULL,
  example: { params: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0x5'], result: null },
  handler: ({ chain }, account, nonce) => chain.cheats.setNonce(account, nonce),
});
