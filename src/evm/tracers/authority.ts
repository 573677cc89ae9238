// The signers of authorizations (EIP-7702).

import { bigIntToFixedBytes, concatBytes } from '../../primitives/bytes.ts';
import { addressOfPublicKey, curve } from '../../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../../primitives/secp256k1/secp256k1.ts';
import type { Authorization } from '../../protocol/transaction.ts';
import { authorizationHash } from '../../protocol/transaction-encoding.ts';
import type { ImpersonatedSigner } from '../signers.ts';

const HALF_ORDER = CURVE_ORDER / 2n;
/** The v of a signature with parity 0 as ECRECOVER takes it. */
const FIRST_V = 27n;

/** Returns the impersonated signer of the authorization's signature; `undefined` when there is none. */
export function impersonatedAuthority(
  { yParity, r, s }: Authorization,
  signerOf: ImpersonatedSigner,
): Uint8Array | undefined {
  if (yParity > 1n) return undefined;
  const v = Uint8Array.of(Number(FIRST_V + yParity));
  return signerOf(concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32), v));
}

/**
 * Returns the address (20 bytes) of the signer of the authorization (EIP-7702), or the impersonated one; `null` when no
 * key can have signed it.
 */
export function authorityOf(authorization: Authorization, signerOf: ImpersonatedSigner): Uint8Array | null {
  return impersonatedAuthority(authorization, signerOf) ?? recoveredAuthority(authorization);
}

function recoveredAuthority(authorization: Authorization): Uint8Array | null {
  const { yParity, r, s } = authorization;
  if (s > HALF_ORDER || yParity > 1n) return null;
  const hash = authorizationHash(authorization);
  try {
    const compact = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
    return addressOfPublicKey(curve.recover(hash, { compact, recovery: Number(yParity) }));
  } catch {
    // The curve throws for a signature without a key: such an authorization touches no account.
    return null;
  }
}
