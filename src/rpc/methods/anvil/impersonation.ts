import { impersonateSignature } from '../../../chain/controls.ts';
import { boolean, pairOf } from '../../codecs/basic.ts';
import { chosenBy, refined } from '../../codecs/codec.ts';
import { address, signature65 } from '../../codecs/data.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

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

export const ANVIL_IMPERSONATION: readonly Method[] = [
  /** Lets transactions be sent in the name of an account, a contract too, whose key is not held. It still pays for them. */
  defineMethod({
    name: 'anvil_impersonateAccount',
    aliases: { hardhat_impersonateAccount: TRUE, ganache_impersonateAccount: TRUE },
    summary: 'Lets transactions be sent in the name of an account without its key',
    differs: {
      hardhat_impersonateAccount: 'The account pays for what it sends',
    },
    params: [param('address', address)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, account) => chain.impersonation.add(account),
  }),
  /** Lets transactions be sent in the name of every account without its key; false ends it, but for those impersonated by name. */
  defineMethod({
    name: 'anvil_autoImpersonateAccount',
    aliases: { hardhat_autoImpersonateAccount: TRUE },
    summary: 'Lets transactions be sent in the name of every account, or no longer',
    params: [param('enabled', boolean)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, enabled) => chain.impersonation.setAutomatic(enabled),
  }),
  /**
   * Makes an address the signer of a signature, whatever was signed: contracts that give this r, s and v to ECRECOVER
   * are answered the address, and an authorization with this signature is the address's (EIP-7702; v is 27 or 28 then).
   * Transactions and messages outside contracts are not concerned. Takes both in one array too. Gone with a revert to an
   * earlier snapshot and with a reset.
   */
  defineMethod({
    name: 'anvil_impersonateSignature',
    summary: 'Makes an address the signer of a signature, for ECRECOVER and authorizations',
    params: [param('signature', givenSignature), optional('address', address, null)],
    result: { description: 'Nothing of meaning', schema: { type: 'null' } },
    shape: NULL,
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
      return chain.change(impersonateSignature(signature, named));
    },
  }),
];
