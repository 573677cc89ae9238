// The system calls of the protocol before and after the transactions of each block.

import { startingGas } from '../evm/admission.ts';
import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../evm/engine.ts';
import type { ExecutionObserver } from '../evm/observer.ts';
import {
  bigIntToFixedBytes,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  numberToBytes,
  stripLeadingZeros,
} from '../primitives/bytes.ts';
import type { Steps } from '../primitives/steps.ts';
import { BlockRequestError } from '../protocol/errors.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import {
  RING_SIZE,
  SYSTEM_ADDRESS,
  SYSTEM_CALL_GAS,
  SYSTEM_CALL_SLOTS,
  type SystemCallInput,
  type SystemContract,
} from '../protocol/hardforks/system-contracts.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import type { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import { fetchReads } from './fetched-reads.ts';

/** The context of the system calls of a block. */
export interface SystemCallSite {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly environment: BlockEnvironment;
  /** 32 bytes: the hash of the parent block. */
  readonly parentHash: Uint8Array;
  /** The state that the calls change. */
  readonly state: Overlay;
  /** Receives the events of the calls. All calls then run on the engine. */
  readonly observer?: ExecutionObserver | undefined;
  readonly checkCancelled?: CancelCheck | undefined;
  /** True if a failed call after the transactions invalidates the block. */
  readonly isStrict?: boolean;
}

/** Slots of a contract, 32 bytes each. */
export interface StoredSlots {
  readonly address: Uint8Array;
  readonly slots: readonly Uint8Array[];
}

const NO_SLOTS: StoredSlots = { address: SYSTEM_ADDRESS, slots: [] };

export function hasSystemCalls({ systemContracts }: RuleSet): boolean {
  return systemContracts.length > 0;
}

/**
 * Executes the system calls before the transactions of a block. If a contract has the code of its EIP, its
 * effect is written directly (without an observer). Other code is executed, and accounts without code are
 * skipped. A failed call changes nothing. Returns the slots with the hashes of earlier blocks without system
 * calls, which observers do not see.
 */
export function* beginBlock(site: SystemCallSite): Task<StoredSlots> {
  let stored = NO_SLOTS;
  const { systemContracts } = site.ruleSet;
  yield* fetchReads(
    systemContracts.map(
      ({ address }) =>
        () =>
          site.state.account(address),
    ),
    site.checkCancelled,
  );
  for (const contract of systemContracts) {
    const { call } = contract;
    if (call.at !== 'beginning') continue;
    const code = yield* codeAt(site, contract);
    if (code === 'none') continue;
    const input = inputOf(site, call.input);
    if (code === 'own' && call.input === 'parent hash') stored = yield* writeUncalled(site, contract.address);
    if (code === 'other' || site.observer !== undefined) yield* systemCall(site, contract, input);
    else writeRing(site, contract.address, call.input, input);
  }
  return stored;
}

/**
 * Executes the system calls after the transactions of a block. Returns their requests (EIP-7685) in the order
 * of their types, each prefixed with its type. A contract with the code of its EIP is skipped if its call
 * would change nothing. On Ethereum a failed call invalidates the block: with `isStrict`, it throws
 * {@link BlockRequestError}. Otherwise it returns no request and changes nothing.
 */
export function* endBlock(site: SystemCallSite): Task<Uint8Array[]> {
  const requests: Uint8Array[] = [];
  for (const contract of site.ruleSet.systemContracts) {
    const { call } = contract;
    if (call.at !== 'end') continue;
    const code = yield* codeAt(site, contract);
    if (code === 'none') continue;
    if (code === 'own' && site.observer === undefined && (yield* isIdle(site, contract))) continue;
    const { outcome, returnData, haltReason } = yield* systemCall(site, contract, EMPTY_BYTES);
    if (outcome !== 'success' && site.isStrict === true)
      throw BlockRequestError.systemCall(contract.address, haltReason ?? 'execution reverted');
    if (outcome !== 'success' || returnData.length === 0) continue;
    requests.push(concatBytes(Uint8Array.of(call.requestType), returnData));
  }
  return requests;
}

/** Returns `none` without code, `own` for the code of the EIP, and `other` for other code. */
function* codeAt(
  { state, checkCancelled }: SystemCallSite,
  { address, code }: SystemContract,
): Task<'none' | 'own' | 'other'> {
  const account = yield* waitFor(fetchingState(() => state.account(address), checkCancelled));
  if (account === undefined || account.code.bytes.length === 0) return 'none';
  return equalBytes(account.code.hash, code.hash) ? 'own' : 'other';
}

const NO_ROOT = new Uint8Array(32);

/** Returns the 32-byte input of a call before the transactions. */
function inputOf({ environment, parentHash }: SystemCallSite, input: SystemCallInput): Uint8Array {
  return input === 'parent hash' ? parentHash : (environment.parentBeaconBlockRoot ?? NO_ROOT);
}

function slotAt(index: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(index), 32);
}

/** Writes the storage changes of the EIP's contract. */
function writeRing(
  { state, environment }: SystemCallSite,
  address: Uint8Array,
  kind: SystemCallInput,
  input: Uint8Array,
): void {
  if (kind === 'parent hash') {
    state.setStorage(address, parentSlot(environment.number), stripLeadingZeros(input));
    return;
  }
  const { timestamp } = environment;
  const index = timestamp % RING_SIZE;
  state.setStorage(address, slotAt(index), numberToBytes(timestamp));
  state.setStorage(address, slotAt(index + RING_SIZE), stripLeadingZeros(input));
}

/** Returns the slot of the parent's hash in a block with this number. */
function parentSlot(number: number): Uint8Array {
  return slotAt((number - 1) % RING_SIZE);
}

/** Work units of a block hash. */
const HASH_WORK = 512;

/**
 * Writes the hashes of the preceding blocks without system calls (EIP-2935), up to the size of the ring
 * buffer. Returns their slots.
 */
function* writeUncalled({ environment, state }: SystemCallSite, address: Uint8Array): Steps<StoredSlots> {
  const { uncalled } = environment;
  if (uncalled === undefined) return NO_SLOTS;
  const slots: Uint8Array[] = [];
  // The call of this block overwrites the oldest hash.
  const first = Math.max(uncalled.first, environment.number - RING_SIZE + 1);
  for (let number = first; number < environment.number; number++) {
    const slot = parentSlot(number);
    state.setStorage(address, slot, stripLeadingZeros(uncalled.parentHashOf(number)));
    slots.push(slot);
    yield HASH_WORK;
  }
  return { address, slots };
}

/** Excess, count, head and tail of the queue in the contracts of EIP-7002 and EIP-7251. */
const QUEUE_SLOTS = [0, 1, 2, 3].map(slotAt);

/** Returns true if all queue slots are zero, so that the call changes nothing. */
function* isIdle(site: SystemCallSite, { address }: SystemContract): Task<boolean> {
  const { state, checkCancelled } = site;
  yield* fetchReads(
    QUEUE_SLOTS.map((slot) => () => state.storageAt(address, slot)),
    checkCancelled,
  );
  return QUEUE_SLOTS.every((slot) => state.storageAt(address, slot).length === 0);
}

/** Returns the message of a system call. Its gas limit excludes the intrinsic gas. */
export function systemMessage({ gas }: RuleSet, to: Uint8Array, data: Uint8Array): Message {
  const stateReservoir = SYSTEM_CALL_SLOTS * BigInt(gas.state?.slot ?? 0);
  return {
    sender: SYSTEM_ADDRESS,
    to,
    value: 0n,
    data,
    gasLimit: SYSTEM_CALL_GAS + stateReservoir,
    stateReservoir,
    nonce: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  };
}

/** Executes a system call. It is free, uses no block gas and does not change the system account. */
function* systemCall(
  { engine, ruleSet, environment, state, observer, checkCancelled }: SystemCallSite,
  { address }: SystemContract,
  data: Uint8Array,
): Task<ExecutionResult> {
  const sender = SYSTEM_ADDRESS;
  const before = yield* waitFor(fetchingState(() => state.account(sender), checkCancelled));
  const message = systemMessage(ruleSet, address, data);
  const gasLimit = message.gasLimit + startingGas(ruleSet, message).intrinsic;
  const complete = { ...message, gasLimit, nonce: before?.nonce ?? 0n };
  const result = yield* waitFor(engine.call(environment, state, complete, observer, checkCancelled));
  // Restore the sender, because system calls have no nonce.
  if (before === undefined) state.deleteAccount(sender);
  else state.write(sender, before);
  return result;
}
