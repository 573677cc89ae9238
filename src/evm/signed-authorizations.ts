// The valid authorizations of a transaction (EIP-7702).

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Authorization } from '../protocol/transaction.ts';
import type { Overlay } from '../state/overlay.ts';
import { isDelegation } from './delegation.ts';
import type { Message } from './engine.ts';
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

/**
 * Returns the nonce that the sender of a transaction has afterwards: each valid authorization of its own raises it once more
 * (EIP-7702).
 */
export function nonceAfter(
  { sender, nonce, authorizationList }: Pick<Message, 'sender' | 'nonce' | 'authorizationList'>,
  chainId: bigint,
  signerOf: ImpersonatedSigner,
): bigint {
  let next = nonce + 1n;
  for (const authorization of authorizationList) {
    // Finding the signer takes a while.
    if (authorization.nonce !== next) continue;
    const [signed] = signedAuthorizations([authorization], chainId, signerOf);
    if (signed !== undefined && equalBytes(signed.authority, sender)) next++;
  }
  return next;
}

/**
 * Returns the gas refund for the authorizations of a message (EIP-7702), on the state before the message: for an
 * engine that adds it to its refund only at the end, since it is visible to code from its first step on.
 */
export function authorizationRefund(
  signed: readonly SignedAuthorization[],
  { sender }: Message,
  state: Overlay,
): bigint {
  // By address, how often the nonce has been raised; the sender's is raised first.
  const raised = new Map([[hexKey(sender), 1n]]);
  let refund = 0n;
  for (const { authorization, authority } of signed) {
    const account = state.account(authority);
    const raises = raised.get(hexKey(authority)) ?? 0n;
    const code = account?.code.bytes ?? new Uint8Array(0);
    if (code.length > 0 && !isDelegation(code)) continue;
    if ((account?.nonce ?? 0n) + raises !== authorization.nonce) continue;
    if (account !== undefined || raises > 0n) refund += EXISTING_ACCOUNT_REFUND;
    raised.set(hexKey(authority), raises + 1n);
  }
  return refund;
}
