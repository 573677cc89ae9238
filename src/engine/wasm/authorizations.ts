import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Authorization } from '../../rules/transaction.ts';
import { delegationTo } from '../delegation.ts';
import type { ImpersonatedSigner } from '../impersonated-signer.ts';
import { authorityOf } from '../tracers/authority.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

const HIGHEST_NONCE = 2n ** 64n - 1n;
/** What is charged for an account that is made, less what is charged for one that exists (EIP-7702). */
const EXISTING_ACCOUNT_REFUND = 12_500n;

/** An authorization that may be followed, with the account (20 bytes) that signed it. */
export interface SignedAuthorization {
  readonly authorization: Authorization;
  readonly authority: Uint8Array;
}

/** The authorizations of which the chain and the signature are right, in their order (EIP-7702). */
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

/** Follows the authorizations: their accounts run the code they name from now on. Gives the gas to be refunded. */
export function followAuthorizations(machine: Machine, signed: readonly SignedAuthorization[]): bigint {
  let refund = 0n;
  for (const { authorization, authority } of signed) {
    const account = machine.account(authority);
    machine.warm(account);
    const hasCode = machine.memory.number(account + ACCOUNT.codeLength) > 0;
    if (hasCode && !machine.hasFlag(account, FLAG.delegates)) continue;
    const nonce = machine.nonce(account);
    if (nonce !== authorization.nonce) continue;
    if (machine.hasFlag(account, FLAG.exists)) refund += EXISTING_ACCOUNT_REFUND;
    machine.setAccount(account, machine.balance(account), nonce + 1n);
    const isCleared = authorization.address.every((byte) => byte === 0);
    machine.setShortCode(account, isCleared ? EMPTY_BYTES : delegationTo(authorization.address));
  }
  return refund;
}
