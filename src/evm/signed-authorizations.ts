import type { Authorization } from '../protocol/transaction.ts';
import type { ImpersonatedSigner } from './signers.ts';
import { authorityOf } from './tracers/authority.ts';

const HIGHEST_NONCE = 2n ** 64n - 1n;

/**
 * The gas that is given back for an authorization whose account exists: what is charged for one that is made, less what is
 * charged for one that exists (EIP-7702).
 */
export const EXISTING_ACCOUNT_REFUND = 12_500n;

/** An authorization that may be followed, with the account (20 bytes) that signed it. */
export interface SignedAuthorization {
  readonly authorization: Authorization;
  readonly authority: Uint8Array;
}

/** Returns the authorizations of which the chain and the signature are right, in their order (EIP-7702). */
export function signedAuthorizations(
  authorizations: readonly Authorization[],
  chainId: bigint,
  signerOf: ImpersonatedSigner,
): SignedAuthorization[] {
  const signed: SignedAuthorization[] = [];
  for (const authorization of authorizations) {
    const { chainId: meant, nonce } = authorization;
    if ((meant !== 0n && meant !== chainId) || nonce >= HIGHEST_NONCE) continue;
    const authority = authorityOf(authorization, signerOf);
    if (authority !== null) signed.push({ authorization, authority });
  }
  return signed;
}
