// The authorizations of a message (EIP-7702), applied on a machine before the message starts.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { StateGas } from '../../protocol/hardforks/gas-schedule.ts';
import { delegationTo } from '../delegation.ts';
import type { Message } from '../engine.ts';
import { EXISTING_ACCOUNT_REFUND, type SignedAuthorization } from '../signed-authorizations.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

/** The gas of a message that has not started. */
export interface EntryGas {
  /** For execution, and for state where `reservoir` is used up. */
  readonly gas: bigint;
  /** For state alone (EIP-8037); 0 where there is one kind of gas. */
  readonly reservoir: bigint;
}

/** The gas that is left when authorizations have been applied. */
export interface AuthorizedGas extends EntryGas {
  /** The gas that was used for state. */
  readonly stateGas: bigint;
  /** The gas that is given back for accounts that existed, where authorizations are paid for beforehand. */
  readonly refund: bigint;
}

/** The account that an authorization names, when the authorization holds for it; `undefined` when it is passed over. */
function authorizedAccount(machine: Machine, signed: SignedAuthorization): number | undefined {
  const account = machine.account(signed.authority);
  machine.warm(account);
  const hasCode = machine.memory.number(account + ACCOUNT.codeLength) > 0;
  if (hasCode && !machine.hasFlag(account, FLAG.delegates)) return undefined;
  return machine.nonce(account) === signed.authorization.nonce ? account : undefined;
}

/** Lets the account delegate to code, or to none any more. */
function delegate(machine: Machine, account: number, address: Uint8Array): void {
  machine.setAccount(account, machine.balance(account), machine.nonce(account) + 1n);
  machine.setShortCode(account, isNobody(address) ? EMPTY_BYTES : delegationTo(address));
}

function isNobody(address: Uint8Array): boolean {
  return address.every((byte) => byte === 0);
}

/** Applies the authorizations of a message that has paid for them: their accounts delegate to code from now on. */
export function followAuthorizations(
  machine: Machine,
  signed: readonly SignedAuthorization[],
  given: EntryGas,
): AuthorizedGas {
  let refund = 0n;
  for (const authorization of signed) {
    const account = authorizedAccount(machine, authorization);
    if (account === undefined) continue;
    if (machine.hasFlag(account, FLAG.exists)) refund += EXISTING_ACCOUNT_REFUND;
    delegate(machine, account, authorization.authorization.address);
  }
  return { ...given, stateGas: 0n, refund };
}

/**
 * As {@link followAuthorizations} where what they write is paid for when it is written (EIP-2780): the first write to an account that the
 * message has not paid for yet, an account that begins to exist, code that begins to delegate. Returns `undefined` when the gas does
 * not suffice; the caller undoes what was applied.
 */
export function payAuthorizations(
  machine: Machine,
  signed: readonly SignedAuthorization[],
  given: EntryGas,
  prices: StateGas,
  { sender, to, value }: Pick<Message, 'sender' | 'to' | 'value'>,
): AuthorizedGas | undefined {
  const written = new Set([hexKey(sender)]);
  if (to !== null && value > 0n) written.add(hexKey(to));
  /** The accounts that delegated before, or whose delegation has been paid for. */
  const delegating = new Map<string, boolean>();
  let { gas, reservoir } = given;
  let stateGas = 0n;
  for (const authorization of signed) {
    const account = authorizedAccount(machine, authorization);
    if (account === undefined) continue;
    const key = hexKey(authorization.authority);
    if (!delegating.has(key)) delegating.set(key, machine.hasFlag(account, FLAG.delegates));
    if (!written.has(key)) gas -= BigInt(prices.authorityWrite);
    written.add(key);
    let price = machine.hasFlag(account, FLAG.exists) ? 0n : BigInt(prices.newAccount);
    if (!isNobody(authorization.authorization.address) && delegating.get(key) === false) {
      price += BigInt(prices.delegation);
      delegating.set(key, true);
    }
    const fromReservoir = price < reservoir ? price : reservoir;
    reservoir -= fromReservoir;
    gas -= price - fromReservoir;
    stateGas += price;
    if (gas < 0n) return undefined;
    delegate(machine, account, authorization.authorization.address);
  }
  return { gas, reservoir, stateGas, refund: 0n };
}
