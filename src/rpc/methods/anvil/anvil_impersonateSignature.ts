import { pairOf } from '../../codecs/basic.ts';
import { chosenBy, refined } from '../../codecs/codec.ts';
import { address, signature65 } from '../../codecs/data.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';

/** A signature and who is to be its signer; `null` where that is the second parameter. */
interface GivenSignature {
  readonly signature: Uint8Array;
  readonly signer: Uint8Array | null;
}

const signatureAlone = refined(signature65, (signature) => ({
  value: { signature, signer: null } as GivenSignature,
}));

/** As Anvil takes it: one parameter with both. */
const signatureAndSigner = refined(
  pairOf(signature65, address, 'a signature and an address'),
  ([signature, signer]) => ({ value: { signature, signer } as GivenSignature }),
);

const givenSignature = chosenBy(
  (value) => (Array.isArray(value) ? signatureAndSigner : signatureAlone),
  [signatureAlone, signatureAndSigner],
);

/**
 * Makes an address the signer of a signature, whatever was signed: contracts that give this r, s and v to ECRECOVER
 * are answered the address, and an authorization with this signature is the address's (EIP-7702; v is 27 or 28 then).
 * Transactions and messages outside contracts are not concerned. Takes both in one array too. Gone with a revert to an
 * earlier snapshot and with a reset.
 */
export const anvil_impersonateSignature = defineMethod({
  name: 'anvil_impersonateSignature',
  summary: 'Makes an address the signer of a signature, for ECRECOVER and authorizations',
  params: [param('signature', givenSignature), optional('address', address, null)],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  shape: NULL,
  example: {
    params: [`0x${'11'.repeat(32)}${'22'.repeat(32)}1b`, '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'],
    result: null,
  },
  handler: ({ chain }, { signature, signer }, account) => {
    const named = signer ?? account;
    if (named === null || (signer !== null && account !== null)) {
      const got = named === null ? 'nothing' : 'one in each';
      throw new InvalidParamsError(
        'address',
        'one address, beside the signature or in one array with it',
        got,
      );
    }
    return chain.controls.impersonateSignature(signature, named);
  },
});
