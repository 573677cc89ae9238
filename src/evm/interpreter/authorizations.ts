import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { delegationTo } from '../delegation.ts';
import { EXISTING_ACCOUNT_REFUND, type SignedAuthorization } from '../signed-authorizations.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

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
