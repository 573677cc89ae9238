// Validation of the authorizations of a transaction (EIP-7702) and the gas to apply them (EIP-2780,
// EIP-8037).

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { StateGas } from '../protocol/hardforks/gas-schedule.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { type Authorization, HIGHEST_NONCE } from '../protocol/transaction.ts';
import { isDelegation } from '../state/account.ts';
import type { AccountView, Overlay } from '../state/overlay.ts';
import { type EntryGas, entryGas, startingGas } from './admission.ts';
import type { Message } from './engine.ts';
import { authorityOf, type ImpersonatedSigner } from './signers.ts';

/** An authorization and the account (20 bytes) that signed it. */
export interface SignedAuthorization {
  readonly authorization: Authorization;
  readonly authority: Uint8Array;
}

/** Returns the authorizations with a matching chain id and a valid signature, in order (EIP-7702). */
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

/** The account state that the validity of an authorization depends on. */
interface AuthorityState {
  readonly nonce: bigint;
  readonly hasCode: boolean;
  /** True if the code is a delegation (EIP-7702). */
  readonly delegates: boolean;
}

/** Returns true if the account has no code except a delegation, and the nonce matches (EIP-7702). */
export function isAuthorized(
  { nonce, hasCode, delegates }: AuthorityState,
  { authorization }: SignedAuthorization,
): boolean {
  return (!hasCode || delegates) && nonce === authorization.nonce;
}

/** Returns the state of an authority after earlier authorizations incremented its nonce `raises` times. */
function authorityIn(account: AccountView | undefined, raises: bigint): AuthorityState {
  const code = account?.code.bytes ?? EMPTY_BYTES;
  return { nonce: (account?.nonce ?? 0n) + raises, hasCode: code.length > 0, delegates: isDelegation(code) };
}

/**
 * Returns the nonce of the sender after the transaction. Each valid authorization signed by the sender
 * increments it again (EIP-7702).
 */
export function nonceAfter(
  { sender, nonce, authorizationList }: Pick<Message, 'sender' | 'nonce' | 'authorizationList'>,
  chainId: bigint,
  signerOf: ImpersonatedSigner,
): bigint {
  let next = nonce + 1n;
  for (const authorization of authorizationList) {
    // Compare the nonce first, because recovering the signer is slow.
    if (authorization.nonce !== next) continue;
    const [signed] = signedAuthorizations([authorization], chainId, signerOf);
    if (signed !== undefined && equalBytes(signed.authority, sender)) next++;
  }
  return next;
}

/**
 * Gas refund for the authorizations of a message (EIP-7702), computed on the state before the message. For an
 * engine that adds it after the execution, because code can observe the refund counter.
 */
export function authorizationRefund(
  signed: readonly SignedAuthorization[],
  { sender }: Message,
  state: Overlay,
  { intrinsicGas: { authorizationRefund: rule } }: RuleSet,
): bigint {
  // Nonce increments by address. The nonce of the sender is incremented first.
  const raised = new Map([[hexKey(sender), 1n]]);
  // By address: true if an earlier authorization of the message delegated the account.
  const delegated = new Map<string, boolean>();
  let refund = 0n;
  for (const authorization of signed) {
    const key = hexKey(authorization.authority);
    const account = state.account(authorization.authority);
    const raises = raised.get(key) ?? 0n;
    const authority = authorityIn(account, raises);
    if (!isAuthorized(authority, authorization)) continue;
    const exists = account !== undefined || raises > 0n;
    const delegates = delegated.get(key) ?? authority.delegates;
    if (rule.authority === 'existing' ? exists : delegates) refund += rule.gas;
    raised.set(key, raises + 1n);
    delegated.set(key, !endsDelegation(authorization.authorization.address));
  }
  return refund;
}

/** The account state that the price of an authorization depends on. */
export interface Authority {
  readonly exists: boolean;
  /** True if the code is a delegation (EIP-7702). */
  readonly delegates: boolean;
}

/** Returns true for the zero address, which removes a delegation (EIP-7702). */
export function endsDelegation(address: Uint8Array): boolean {
  return address.every((byte) => byte === 0);
}

/**
 * Charges the gas of a sequence of authorizations. It charges the first write to each account, each new
 * account and each new delegation.
 */
export class AuthorizationGas {
  readonly #prices: StateGas;
  readonly #written: Set<string>;
  /** By account: true if it delegated before the message, or if its delegation is already paid. */
  readonly #delegating = new Map<string, boolean>();
  #gas: bigint;
  #reservoir: bigint;
  #stateGas = 0n;

  constructor(
    prices: StateGas,
    { gas, reservoir }: EntryGas,
    { sender, to, value }: Pick<Message, 'sender' | 'to' | 'value'>,
  ) {
    this.#prices = prices;
    this.#gas = gas;
    this.#reservoir = reservoir;
    this.#written = new Set([hexKey(sender), ...(to !== null && value > 0n ? [hexKey(to)] : [])]);
  }

  /** Charges a valid authorization. Returns false if the gas is not sufficient. */
  take({ authorization, authority }: SignedAuthorization, { exists, delegates }: Authority): boolean {
    const { authorityWrite, newAccount, delegation } = this.#prices;
    const key = hexKey(authority);
    if (!this.#delegating.has(key)) this.#delegating.set(key, delegates);
    if (!this.#written.has(key)) this.#gas -= BigInt(authorityWrite);
    this.#written.add(key);
    let price = exists ? 0n : BigInt(newAccount);
    if (!endsDelegation(authorization.address) && this.#delegating.get(key) === false) {
      price += BigInt(delegation);
      this.#delegating.set(key, true);
    }
    const fromReservoir = price < this.#reservoir ? price : this.#reservoir;
    this.#reservoir -= fromReservoir;
    this.#gas -= price - fromReservoir;
    this.#stateGas += price;
    return this.#gas >= 0n;
  }

  /** The remaining gas, and the gas used for state. */
  get left(): EntryGas & { readonly stateGas: bigint } {
    return { gas: this.#gas, reservoir: this.#reservoir, stateGas: this.#stateGas };
  }
}

/** The authorizations whose accounts a message reads. */
export interface ReachedAuthorizations {
  /** All authorizations, or those up to the first unpaid one, inclusive. */
  readonly signed: readonly SignedAuthorization[];
  /** False if the last one is unpaid. The message then ends before it reads its recipient. */
  readonly arePaid: boolean;
}

/**
 * Returns the authorizations whose accounts the message reads. Works on the state before the message. Throws
 * `MissingStateError` if an account must be fetched first.
 */
export function reachedAuthorizations(
  signed: readonly SignedAuthorization[],
  message: Message,
  state: Pick<Overlay, 'account'>,
  ruleSet: RuleSet,
): ReachedAuthorizations {
  const prices = ruleSet.gas.state;
  if (prices === null) return { signed, arePaid: true };
  const { intrinsic } = startingGas(ruleSet, message);
  const gas = new AuthorizationGas(prices, entryGas(ruleSet, message.gasLimit, intrinsic), message);
  // Nonce increments by address. The nonce of the sender is incremented first.
  const raised = new Map([[hexKey(message.sender), 1n]]);
  const unpaid = signed.findIndex((authorization) => {
    const key = hexKey(authorization.authority);
    const account = state.account(authorization.authority);
    const raises = raised.get(key) ?? 0n;
    const authority = authorityIn(account, raises);
    if (!isAuthorized(authority, authorization)) return false;
    raised.set(key, raises + 1n);
    const exists = account !== undefined || raises > 0n;
    return !gas.take(authorization, { exists, delegates: authority.delegates });
  });
  return unpaid < 0 ? { signed, arePaid: true } : { signed: signed.slice(0, unpaid + 1), arePaid: false };
}
