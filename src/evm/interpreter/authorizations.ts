// Applies the authorizations of a message (EIP-7702) on a machine before the message starts.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { delegationTo } from '../../state/account.ts';
import type { EntryGas } from '../admission.ts';
import {
  AuthorizationGas,
  endsDelegation,
  isAuthorized,
  type SignedAuthorization,
} from '../authorizations.ts';
import type { Message } from '../engine.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

/** The gas left after the authorizations were applied. */
interface AuthorizedGas extends EntryGas {
  readonly stateGas: bigint;
  /** The refund for existing accounts, if authorizations are paid as intrinsic gas. */
  readonly refund: bigint;
}

/** Returns the account record of the authority if the authorization is valid; otherwise `undefined`. */
function authorizedAccount(
  machine: Machine,
  signed: SignedAuthorization,
  { calls }: RuleSet,
): number | undefined {
  const account = machine.account(signed.authority);
  if (calls.delegationsAreAccesses) machine.warm(account);
  const authority = {
    nonce: machine.nonce(account),
    hasCode: machine.memory.number(account + ACCOUNT.codeLength) > 0,
    delegates: machine.hasFlag(account, FLAG.delegates),
  };
  return isAuthorized(authority, signed) ? account : undefined;
}

/** Sets or removes the delegation of an account. */
function delegate(machine: Machine, account: number, address: Uint8Array): void {
  machine.setAccount(account, machine.balance(account), machine.nonce(account) + 1n);
  machine.setShortCode(account, endsDelegation(address) ? EMPTY_BYTES : delegationTo(address));
}

/**
 * Applies the authorizations of a message. Without separate state gas, they are already paid as intrinsic gas.
 * Returns `undefined` if the gas is not sufficient; the caller then reverts the changes.
 */
export function applyAuthorizations(
  machine: Machine,
  signed: readonly SignedAuthorization[],
  given: EntryGas,
  message: Message,
  ruleSet: RuleSet,
): AuthorizedGas | undefined {
  const { state } = ruleSet.gas;
  if (state === null) return applyPaid(machine, signed, given, ruleSet);
  return payAndApply(machine, signed, new AuthorizationGas(state, given, message), ruleSet);
}

function applyPaid(
  machine: Machine,
  signed: readonly SignedAuthorization[],
  given: EntryGas,
  ruleSet: RuleSet,
): AuthorizedGas {
  const { gas: refundGas, authority } = ruleSet.intrinsicGas.authorizationRefund;
  const flag = authority === 'existing' ? FLAG.exists : FLAG.delegates;
  let refund = 0n;
  for (const authorization of signed) {
    const account = authorizedAccount(machine, authorization, ruleSet);
    if (account === undefined) continue;
    if (machine.hasFlag(account, flag)) refund += refundGas;
    delegate(machine, account, authorization.authorization.address);
  }
  return { gas: given.gas, reservoir: given.reservoir, stateGas: 0n, refund };
}

function payAndApply(
  machine: Machine,
  signed: readonly SignedAuthorization[],
  gas: AuthorizationGas,
  ruleSet: RuleSet,
): AuthorizedGas | undefined {
  for (const authorization of signed) {
    const account = authorizedAccount(machine, authorization, ruleSet);
    if (account === undefined) continue;
    const exists = machine.hasFlag(account, FLAG.exists);
    const delegates = machine.hasFlag(account, FLAG.delegates);
    if (!gas.take(authorization, { exists, delegates })) return undefined;
    delegate(machine, account, authorization.authorization.address);
  }
  return { ...gas.left, refund: 0n };
}
