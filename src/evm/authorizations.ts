// The authorizations of a transaction (EIP-7702): which of them are valid, and the gas that they take when they are applied (EIP-2780,
// EIP-8037).

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { StateGas } from '../protocol/hardforks/gas-schedule.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Authorization } from '../protocol/transaction.ts';
import { isDelegation } from '../state/account.ts';
import type { AccountView, Overlay } from '../state/overlay.ts';
import { startingGas } from './admission.ts';
import type { Message } from './engine.ts';
import { authorityOf, type ImpersonatedSigner } from './signers.ts';

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
function authorityIn(account: AccountView | undefined, raises: bigint): AuthorityState {
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

/** The gas of a message that has paid its intrinsic gas. */
export interface EntryGas {
  /** For execution, and for state where `reservoir` is used up. */
  readonly gas: bigint;
  /** For state alone; 0 where there is one kind of gas. */
  readonly reservoir: bigint;
}

/**
 * Divides the gas of a message, of which only so much is for execution where new state has a gas of its own; `stateReservoir` is that of
 * the message, if it says so itself.
 */
export function entryGas(
  { gas: { state } }: RuleSet,
  gasLimit: bigint,
  intrinsic: bigint,
  stateReservoir?: bigint,
): EntryGas {
  const all = gasLimit - intrinsic;
  if (state === null) return { gas: all, reservoir: 0n };
  const most = stateReservoir === undefined ? state.executionLimit - intrinsic : all - stateReservoir;
  return all <= most ? { gas: all, reservoir: 0n } : { gas: most, reservoir: all - most };
}

/** The state of an account that an authorization names, as far as its price depends on it. */
export interface Authority {
  readonly exists: boolean;
  /** Its code stands for that of another account. */
  readonly delegates: boolean;
}

/** Returns true for the address that ends a delegation. */
export function endsDelegation(address: Uint8Array): boolean {
  return address.every((byte) => byte === 0);
}

/**
 * Takes the gas for what authorizations write, from one to the next: the first write to an account that the message has not paid for yet,
 * an account that begins to exist, code that begins to delegate.
 */
export class AuthorizationGas {
  readonly #prices: StateGas;
  readonly #written: Set<string>;
  /** By account, whether it delegated before, or its delegation has been paid for. */
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

  /** Takes the gas of an authorization that holds. Returns false when there is not enough. */
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

  /** The gas that is left, and that which was used for state. */
  get left(): EntryGas & { readonly stateGas: bigint } {
    return { gas: this.#gas, reservoir: this.#reservoir, stateGas: this.#stateGas };
  }
}

/**
 * Returns the authorizations of a message, on the state before it, whose accounts it looks at: all, or those up to the first one that it
 * cannot pay for. Throws a `MissingStateError` for an account that has to be fetched first.
 */
export function reachedAuthorizations(
  signed: readonly SignedAuthorization[],
  message: Message,
  state: Pick<Overlay, 'account'>,
  ruleSet: RuleSet,
): readonly SignedAuthorization[] {
  const prices = ruleSet.gas.state;
  if (prices === null) return signed;
  const { intrinsic } = startingGas(ruleSet, message);
  const gas = new AuthorizationGas(prices, entryGas(ruleSet, message.gasLimit, intrinsic), message);
  // By account, how often its nonce has been raised; the sender's is raised first.
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
  return unpaid < 0 ? signed : signed.slice(0, unpaid + 1);
}
