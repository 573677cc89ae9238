// The valid authorizations of a transaction (EIP-7702).

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Authorization } from '../protocol/transaction.ts';
import type { AccountView, Overlay } from '../state/overlay.ts';
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

/** The state of an account that an authorization names. */
interface AuthorityState {
  readonly nonce: bigint;
  readonly hasCode: boolean;
  /** Its code stands for that of another account. */
  readonly delegates: boolean;
}

/** Returns true when an authorization holds for its account: one without code of its own, with that very nonce (EIP-7702). */
export function isAuthorized(
  { nonce, hasCode, delegates }: AuthorityState,
  { authorization }: SignedAuthorization,
): boolean {
  return (!hasCode || delegates) && nonce === authorization.nonce;
}

/**
 * Returns the state of the account that an authorization names when authorizations before have raised its nonce so often; they
 * leave an account that has code of its own without changes.
 */
export function authorityIn(account: AccountView | undefined, raises: bigint): AuthorityState {
  const code = account?.code.bytes ?? EMPTY_BYTES;
  return { nonce: (account?.nonce ?? 0n) + raises, hasCode: code.length > 0, delegates: isDelegation(code) };
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
  for (const authorization of signed) {
    const key = hexKey(authorization.authority);
    const account = state.account(authorization.authority);
    const raises = raised.get(key) ?? 0n;
    if (!isAuthorized(authorityIn(account, raises), authorization)) continue;
    if (account !== undefined || raises > 0n) refund += EXISTING_ACCOUNT_REFUND;
    raised.set(key, raises + 1n);
  }
  return refund;
}
