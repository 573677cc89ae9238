// The valid authorizations of a transaction (EIP-7702).

import type { Authorization } from '../protocol/transaction.ts';
import type { ImpersonatedSigner } from './signers.ts';
import { authorityOf } from './tracers/authority.ts';

const HIGHEST_NONCE = 2n ** 64n - 1n;

/**
 * The gas refund of an authorization whose account exists: the charge for a new account, less that for an existing one
 * (EIP-7702).
 */
export const EXISTING_ACCOUNT_REFUND = 12_500n;

/** An authorization that may be applied, with the account (20 bytes) that signed it. */
export interface SignedAuthorization {
  readonly authorization: Authorization;
  readonly authority: Uint8Array;
}

/** Returns the authorizations with a matching chain id and a valid signature, in their order (EIP-7702). */
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
