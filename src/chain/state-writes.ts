import type { Message } from '../evm/engine.ts';
import type { ExecutionObserver, ExecutionStep } from '../evm/observer.ts';
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  padLeft,
} from '../primitives/bytes.ts';
import { fromHex, hexKey } from '../primitives/hex.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import { type CancelCheck, neverCancelled, withoutAdmission } from '../scheduling/cancel-check.ts';
import { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';
import { type CallEnvironment, gasCapOf } from './call-environment.ts';
import type { ChainCore } from './chain-core.ts';
import { NonceLoweredError, TokenSlotNotFoundError } from './errors.ts';
import { completeMessage, environmentOf, executeMessage } from './execution/calls.ts';
import { ancestorsOf } from './mining/parent-context.ts';

interface Place {
  readonly address: Uint8Array;
  readonly slot: Uint8Array;
}

/** A token call. Its result is used to find the storage slot. */
interface TokenQuestion {
  readonly token: Uint8Array;
  /** Call data. */
  readonly question: Uint8Array;
  readonly what: 'balance' | 'allowance';
  readonly checkCancelled: CancelCheck;
}

const { SLOAD } = OPCODES;
const WORD = 32;
const NOBODY = new Uint8Array(20);
const BALANCE_OF = fromHex('0x70a08231');
const ALLOWANCE = fromHex('0xdd62ed3e');
/** Unlikely as a real balance, so it identifies the slot. The requested amount could be any number. */
const PROBE = 0x5ca1ab1e0ddba11c0ffeen;

/** Records the storage slots that an execution reads, in order. */
class ReadPlaces implements ExecutionObserver {
  readonly #places = new Map<string, Place>();

  get places(): Iterable<Place> {
    return this.#places.values();
  }

  step(step: ExecutionStep): void {
    if (step.opcode !== SLOAD) return;
    const read = step.stackItem(0);
    if (read === undefined) return;
    const place = { address: step.address.slice(), slot: bigIntToFixedBytes(read, WORD) };
    const key = hexKey(place.address) + hexKey(place.slot);
    if (!this.#places.has(key)) this.#places.set(key, place);
  }
}

function argument(address: Uint8Array): Uint8Array {
  return padLeft(address, WORD);
}

function withValue(state: WorldState, { address, slot }: Place, value: bigint): WorldState {
  const overlay = new Overlay(state);
  overlay.setStorage(address, slot, bigIntToBytes(value));
  return overlay.toWorldState();
}

/**
 * Sets balances and allowances of an ERC-20 token in the state after the head. The slot is found by trial:
 * the call reads several slots, and it returns the value of the right one.
 */
export class TokenWrites {
  readonly #core: ChainCore;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  /** Sets the result of `balanceOf`. Rejects with {@link TokenSlotNotFoundError}. */
  setBalance(
    token: Uint8Array,
    holder: Uint8Array,
    amount: bigint,
    checkCancelled = neverCancelled,
  ): Promise<void> {
    const question = concatBytes(BALANCE_OF, argument(holder));
    return this.#setAnswer({ token, question, what: 'balance', checkCancelled }, amount);
  }

  /** Sets the result of `allowance`. Rejects with {@link TokenSlotNotFoundError}. */
  setAllowance(
    token: Uint8Array,
    owner: Uint8Array,
    spender: Uint8Array,
    amount: bigint,
    checkCancelled = neverCancelled,
  ): Promise<void> {
    const question = concatBytes(ALLOWANCE, argument(owner), argument(spender));
    return this.#setAnswer({ token, question, what: 'allowance', checkCancelled }, amount);
  }

  #setAnswer({ token, question, what, checkCancelled }: TokenQuestion, amount: bigint): Promise<void> {
    const { blockchain, changes } = this.#core;
    return changes.run(async () => {
      const site = this.#siteAtHead(checkCancelled);
      const message = messageTo(site, token, question);
      const reads = new ReadPlaces();
      await executeMessage(site, message, new Overlay(site.state), reads);
      for (const place of reads.places) {
        if (!(await answers(site, message, withValue(site.state, place, PROBE), PROBE))) continue;
        const changed = withValue(site.state, place, amount);
        if (await answers(site, message, changed, amount)) return blockchain.replaceHeadState(changed);
      }
      throw new TokenSlotNotFoundError(what);
    });
  }

  #siteAtHead(checkCancelled: CancelCheck): CallEnvironment {
    const { engine, ruleSet, blockchain, options } = this.#core;
    const { block, state } = blockchain.head;
    const environment = environmentOf(block, ancestorsOf(blockchain, block.header.number), ruleSet);
    const gasCap = gasCapOf(options);
    return { engine, ruleSet, state, environment, gasCap, checkCancelled: withoutAdmission(checkCancelled) };
  }
}

function messageTo(site: CallEnvironment, token: Uint8Array, data: Uint8Array): Message {
  return completeMessage(site, {
    sender: NOBODY,
    to: token,
    value: 0n,
    data,
    gasLimit: null,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  });
}

/** Resolves to true if the token call on this state returns the expected word. */
async function answers(
  site: CallEnvironment,
  message: Message,
  state: WorldState,
  expected: bigint,
): Promise<boolean> {
  const { outcome, returnData } = await executeMessage(site, message, new Overlay(state));
  return outcome === 'success' && returnData.length === WORD && bytesToBigInt(returnData) === expected;
}

const MAX_WEI = 2n ** 256n - 1n;

/**
 * Changes accounts without a transaction. No block is mined: the state after the head is replaced, so
 * `latest` returns the new values, and later blocks build on them. The head's header does not change, nor
 * does its `stateRoot`. Until the next block, proofs at the head therefore do not match that root. Addresses
 * have 20 bytes, slots 32.
 */
export class StateWrites {
  readonly #core: ChainCore;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  #change(address: Uint8Array, apply: (state: Overlay) => void): Promise<void> {
    const { blockchain, pool, changes } = this.#core;
    return changes.run(async () => {
      const state = new Overlay(blockchain.head.state);
      apply(state);
      blockchain.replaceHeadState(state.toWorldState());
      pool.removeStale([address]);
    });
  }

  /** `balance` in wei. */
  setBalance(address: Uint8Array, balance: bigint): Promise<void> {
    return this.#change(address, (state) => {
      state.setAccount(address, { nonce: state.account(address)?.nonce ?? 0n, balance });
    });
  }

  /** Adds `amount` (wei); the balance is capped at 2^256 - 1. */
  addBalance(address: Uint8Array, amount: bigint): Promise<void> {
    return this.#change(address, (state) => {
      const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
      const sum = balance + amount;
      state.setAccount(address, { nonce, balance: sum > MAX_WEI ? MAX_WEI : sum });
    });
  }

  /**
   * Sets the nonce and drops transactions with lower nonces from the pool. Rejects with
   * {@link NonceLoweredError} if `mayFall` is false and the nonce decreases.
   */
  setNonce(address: Uint8Array, nonce: bigint, mayFall = true): Promise<void> {
    return this.#change(address, (state) => {
      const { nonce: before, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
      if (nonce < before && !mayFall) throw new NonceLoweredError(nonce, before);
      state.setAccount(address, { nonce, balance });
    });
  }

  /** Sets the code; pass no bytes to remove it. */
  setCode(address: Uint8Array, code: Uint8Array): Promise<void> {
    return this.#change(address, (state) => state.setCode(address, code));
  }

  /** Sets a storage slot. `value` has no leading zeros, and is empty for zero. */
  setStorageAt(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#change(address, (state) => state.setStorage(address, slot, value));
  }
}
