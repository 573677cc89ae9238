import { address, signature65 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';

/**
 * Makes an address the signer of a signature, whatever was signed: contracts that give this r, s and v to ECRECOVER
 * are answered the address. Transactions and messages outside contracts are not concerned. Gone with a revert to an
 * earlier snapshot and with a reset.
 */
export const anvil_impersonateSignature = defineMethod({
  name: 'anvil_impersonateSignature',
  summary: 'Makes an address the signer of a signature, for contracts that ask ECRECOVER',
  params: [param('signature', signature65), param('address', address)],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  shape: NULL,
  example: {
    params: [`0x${'11'.repeat(32)}${'22'.repeat(32)}1b`, '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'],
    result: null,
  },
  handler: ({ chain }, signature, account) => chain.controls.impersonateSignature(signature, account),
});
