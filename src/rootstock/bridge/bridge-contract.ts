// Dispatches calls to the Bridge.

import { UnanswerableCallError } from '../../evm/errors.ts';
import { ownStorageAt } from '../../evm/own-storage.ts';
import {
  type PrecompileAccount,
  type PrecompileCall,
  type PrecompileContext,
  PrecompileError,
} from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { decodeRlp } from '../../primitives/rlp.ts';
import type { FederationFormat, RootstockUpgrade } from '../../protocol/hardforks/rootstock.ts';
import type { FreeCalls } from '../../protocol/hardforks/rule-set.ts';
import { Overlay } from '../../state/overlay.ts';
import type { SourceContract } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import { type AbiType, type AbiValue, decodeAbi } from '../abi.ts';
import { type BridgeConstants, bridgeConstants } from './bridge-constants.ts';
import { BRIDGE_ADDRESS, type BridgeAccess, type BridgeMethod } from './bridge-method.ts';
import { BridgeState } from './bridge-state.ts';
import { keyedSlot } from './bridge-storage.ts';
import { FEDERATION_METHODS } from './methods/federation-methods.ts';
import { GOVERNANCE_METHODS } from './methods/governance-methods.ts';
import { PARENT_CHAIN_METHODS } from './methods/parent-chain-methods.ts';
import { PEGIN_METHODS, WHITELIST_METHODS } from './methods/pegin-methods.ts';
import { PEGOUT_METHODS } from './methods/pegout-methods.ts';
import { UNION_METHODS } from './methods/union-methods.ts';

/** All methods of the Bridge after all hardforks. */
export const BRIDGE_METHODS: readonly BridgeMethod[] = [
  ...FEDERATION_METHODS,
  ...PARENT_CHAIN_METHODS,
  ...PEGIN_METHODS,
  ...PEGOUT_METHODS,
  ...WHITELIST_METHODS,
  ...GOVERNANCE_METHODS,
  ...UNION_METHODS,
];

/** The settings of a chain that affect its Bridge. */
export interface BridgeSettings {
  readonly chainId: number;
  readonly upgrades: ReadonlySet<RootstockUpgrade>;
  /** The script format of a local network's federation. */
  readonly federation: FederationFormat;
  readonly freeCalls: FreeCalls | null;
}

/** The chain id of regtest. Forks use its constants, because only methods that write are executed locally. */
const LOCAL_CHAIN_ID = 33;
/** Constants for parts of the state that are equal on all networks. */
const LOCAL_CONSTANTS = bridgeConstants(LOCAL_CHAIN_ID, 'legacy');

function constantsOf(account: PrecompileAccount, { chainId, federation }: BridgeSettings): BridgeConstants {
  const isOnFork = account.upstream(BRIDGE_ADDRESS) !== null;
  return bridgeConstants(isOnFork ? LOCAL_CHAIN_ID : chainId, federation);
}

function stateOf(account: PrecompileAccount, settings: BridgeSettings): BridgeState {
  return new BridgeState(account, constantsOf(account, settings));
}

const SELECTOR_SIZE = 4;

const BY_SELECTOR: ReadonlyMap<string, BridgeMethod> = new Map(
  BRIDGE_METHODS.map((method) => [hexKey(method.selector), method]),
);
const WITHOUT_SELECTOR = BRIDGE_METHODS.find(({ name }) => name === 'releaseBtc');

/** Returns the method of the selector. An empty input selects `releaseBtc`. */
function methodOf(input: Uint8Array, upgrades: ReadonlySet<RootstockUpgrade>): BridgeMethod | undefined {
  if (input.length === 0) return WITHOUT_SELECTOR;
  const method = BY_SELECTOR.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
  return method?.upgrade === undefined || upgrades.has(method.upgrade) ? method : undefined;
}

function argumentsOf(input: Uint8Array): Uint8Array {
  return input.subarray(SELECTOR_SIZE);
}

/** The price of a call that no method can decode, in gas: the price of `releaseBtc`. */
const UNREADABLE_GAS = 23_000n;
/** Gas per byte of the input, including the selector. */
const BYTE_GAS = 2n;

/** An empty account, to compute prices without state. */
const EMPTY_ACCOUNT: PrecompileAccount = {
  slot: () => new Uint8Array(32),
  setSlot: () => {},
  balance: () => 0n,
  send: () => {},
  refund: () => {},
  log: () => {},
  remark: () => {},
  upstream: () => null,
};

/** Returns true if the transaction itself calls the Bridge, and its sender pays nothing. */
function isFree(context: PrecompileContext, { freeCalls }: BridgeSettings): boolean {
  return freeCalls !== null && context.depth === 0 && freeCalls.senders.has(hexKey(context.call().caller));
}

/** Returns the price of a Bridge call in gas. `settings` are the settings of the chain. */
export function bridgeGas(
  input: Uint8Array,
  context: PrecompileContext | undefined,
  settings: BridgeSettings,
): bigint {
  if (context !== undefined && isFree(context, settings)) return 0n;
  const method = methodOf(input, settings.upgrades);
  if (method === undefined) return UNREADABLE_GAS;
  const account = context?.call().account ?? EMPTY_ACCOUNT;
  try {
    return methodGas(method, input, account, settings) + BYTE_GAS * BigInt(input.length);
  } catch (error) {
    if (error instanceof PrecompileError) return UNREADABLE_GAS;
    throw error;
  }
}

function methodGas(
  method: BridgeMethod,
  input: Uint8Array,
  account: PrecompileAccount,
  settings: BridgeSettings,
): bigint {
  const answer = method.gasOfAnswer === undefined ? null : upstreamAnswer(method, input, account);
  if (answer === null || answer.length === 0)
    return method.gas(argumentsOf(input), stateOf(account, settings));
  return method.gasOfAnswer?.(argumentsOf(input), answer) ?? 0n;
}

/** Returns the reason why a method rejects the call; `null` if it is accepted. */
function refusalOf(
  access: BridgeAccess,
  { isBorrowed, isStatic, isReadOnlyCall }: PrecompileCall,
): string | null {
  if (isBorrowed) return 'the contract cannot be called by DELEGATECALL or CALLCODE';
  if (isStatic && access === 'write') return 'a static call cannot use a method that writes';
  if (!isReadOnlyCall && access === 'call only')
    return 'the method is available only in eth_call, not in a transaction';
  return null;
}

/** Executes a Bridge call. Throws `PrecompileError`, and the errors of {@link prepareBridge}. */
export function runBridge(
  input: Uint8Array,
  context: PrecompileContext,
  settings: BridgeSettings,
): Uint8Array {
  const method = methodOf(input, settings.upgrades);
  const call = context.call();
  const { account } = call;
  const upstream = account.upstream(BRIDGE_ADDRESS);
  if (method === undefined && upstream === null)
    throw new PrecompileError('it has no method with this selector');
  const refusal = refusalOf(method?.access ?? 'read', call);
  if (refusal !== null) throw new PrecompileError(refusal);
  if (method === undefined || (upstream !== null && method.access !== 'write')) {
    return requireOutput(requireAnswer(method, input, account));
  }
  const run = (on: PrecompileAccount): Uint8Array => runMethod(method, input, context, on, settings);
  if (upstream === null || isChanged(account, upstream)) return run(account);
  return runWriting(method, input, call, upstream, run);
}

/**
 * Throws `MissingStateError` if the price or result needs a result of the forked chain that must be fetched
 * first. Throws `UnanswerableCallError` if the forked chain cannot return it any more.
 */
export function prepareBridge(input: Uint8Array, context: PrecompileContext, settings: BridgeSettings): void {
  bridgeGas(input, context, settings);
  const { account } = context.call();
  if (account.upstream(BRIDGE_ADDRESS) === null) return;
  const trial: PrecompileContext = {
    environment: context.environment,
    depth: context.depth,
    call: () => ({ ...context.call(), account: new TrialAccount(account) }),
  };
  try {
    runBridge(input, trial, settings);
  } catch (error) {
    if (!(error instanceof PrecompileError)) throw error;
  }
}

function runMethod(
  method: BridgeMethod,
  input: Uint8Array,
  context: PrecompileContext,
  account: PrecompileAccount,
  settings: BridgeSettings,
): Uint8Array {
  const constants = constantsOf(account, settings);
  const { caller, value, isStatic, isBorrowed, isReadOnlyCall, transaction } = context.call();
  return method.run(
    {
      caller,
      value,
      isStatic,
      isBorrowed,
      isReadOnlyCall,
      transaction,
      account,
      isFromContract: context.depth > 0,
      environment: context.environment,
      state: new BridgeState(account, constants),
      constants,
      upgrades: settings.upgrades,
    },
    argumentsOf(input),
  );
}

// The Bridge of a fork: results come from the forked chain until this chain changes its Bridge.

/** Marks the account as changed, for later calls in the same message. */
const CHANGED_SLOT = keyedSlot('changedOnFork', new Uint8Array(0));
const CHANGED = padLeft(Uint8Array.of(1), 32);

function isChanged(account: PrecompileAccount, upstream: SourceContract): boolean {
  return upstream.isChanged || account.slot(CHANGED_SLOT).some((byte) => byte !== 0);
}

/** Returns the calldata without padding. Throws `PrecompileError` for malformed arguments. */
function askedData(method: BridgeMethod | undefined, input: Uint8Array): Uint8Array {
  return method === undefined ? input : concatBytes(method.selector, method.trim(argumentsOf(input)));
}

/** Returns the forked chain's result; `null` if none. Throws `PrecompileError`. */
function upstreamAnswer(
  method: BridgeMethod | undefined,
  input: Uint8Array,
  account: PrecompileAccount,
): Uint8Array | null {
  const upstream = account.upstream(BRIDGE_ADDRESS);
  if (upstream === null) return null;
  const data = askedData(method, input);
  return isChanged(account, upstream) ? null : upstream.call({ data });
}

/**
 * Returns the result of the forked chain. Throws `UnanswerableCallError` if this chain changed its Bridge.
 * Throws `PrecompileError` for malformed arguments.
 */
function requireAnswer(
  method: BridgeMethod | undefined,
  input: Uint8Array,
  account: PrecompileAccount,
): Uint8Array {
  const answer = upstreamAnswer(method, input, account);
  if (answer === null) throw changedBridgeError(method?.name ?? toHex(input.subarray(0, SELECTOR_SIZE)));
  return answer;
}

function changedBridgeError(method: string): UnanswerableCallError {
  return new UnanswerableCallError(
    `the Bridge cannot execute ${method} because its storage was changed on this fork; ` +
      'revert the change (evm_revert or evm_reset) to read the Bridge of the forked chain',
  );
}

/** Throws `PrecompileError` for an empty output, because Rootstock's nodes return it for a failed call. */
function requireOutput(output: Uint8Array): Uint8Array {
  if (output.length === 0) throw new PrecompileError('the Bridge of the forked chain rejects the call');
  return output;
}

/** Collects the changes of a method without applying them. */
class TrialAccount implements PrecompileAccount {
  readonly #account: PrecompileAccount;
  readonly #slots = new Map<string, Uint8Array>();
  hasSent = false;

  constructor(account: PrecompileAccount) {
    this.#account = account;
  }

  get hasWritten(): boolean {
    return this.#slots.size > 0;
  }

  slot(key: Uint8Array): Uint8Array {
    return this.#slots.get(hexKey(key)) ?? this.#account.slot(key);
  }

  setSlot(key: Uint8Array, value: Uint8Array): void {
    this.#slots.set(hexKey(key), value);
  }

  balance(): bigint {
    return this.#account.balance();
  }

  send(): void {
    this.hasSent = true;
  }

  refund(): void {
    this.hasSent = true;
  }

  log(): void {
    this.hasSent = true;
  }

  remark(): void {}

  upstream(): SourceContract | null {
    return this.#account.upstream(BRIDGE_ADDRESS);
  }
}

/**
 * Executes a writing method on an unchanged Bridge of a fork. If the method changes this chain's Bridge, the
 * result comes from this Bridge. Otherwise it comes from the forked chain. If the results differ, the Bridge
 * counts as changed.
 */
function runWriting(
  method: BridgeMethod,
  input: Uint8Array,
  { account, caller, value }: PrecompileCall,
  upstream: SourceContract,
  run: (on: PrecompileAccount) => Uint8Array,
): Uint8Array {
  const trial = new TrialAccount(account);
  let output: Uint8Array | null = null;
  let failure: PrecompileError | null = null;
  try {
    output = run(trial);
  } catch (error) {
    if (!(error instanceof PrecompileError)) throw error;
    failure = error;
  }
  if (output !== null && (trial.hasWritten || trial.hasSent)) {
    const result = run(account);
    if (trial.hasWritten) account.setSlot(CHANGED_SLOT, CHANGED);
    return result;
  }
  if (method.isWithoutOutput) {
    if (failure !== null) throw failure;
    return EMPTY_BYTES;
  }
  const answer = upstream.call({ data: askedData(method, input), sent: { from: caller, value } });
  if (failure !== null && answer.length === 0) throw failure;
  const decided = requireOutput(answer);
  if (output === null || !equalBytes(decided, output)) account.setSlot(CHANGED_SLOT, CHANGED);
  return decided;
}

// Access to the Bridge's state outside of executions

/** Returns read-only access to the account of the Bridge. */
function readOnlyAccount(state: WorldState): PrecompileAccount {
  const overlay = new Overlay(state);
  const refuse = (): never => {
    throw new Error('the account is read-only');
  };
  return {
    slot: (key) => padLeft(ownStorageAt(overlay, BRIDGE_ADDRESS, key), 32),
    setSlot: refuse,
    balance: () => overlay.account(BRIDGE_ADDRESS)?.balance ?? 0n,
    send: refuse,
    refund: refuse,
    log: refuse,
    remark: refuse,
    upstream: (address) => overlay.sourceContract(address),
  };
}

/** The state of a Bridge, read-only, and its constants. */
export interface ReadableBridge {
  readonly state: BridgeState;
  readonly constants: BridgeConstants;
}

/** Returns the Bridge of a chain with its own genesis block. */
export function bridgeIn(
  state: WorldState,
  { chainId, federation }: Pick<BridgeSettings, 'chainId' | 'federation'>,
): ReadableBridge {
  const constants = bridgeConstants(chainId, federation);
  return { state: new BridgeState(readOnlyAccount(state), constants), constants };
}

/** Calls a method without parameters on the Bridge of the forked chain. */
function upstreamValue<const Output extends AbiType>(
  name: string,
  output: Output,
  account: PrecompileAccount,
): AbiValue<Output> | null {
  const method = BRIDGE_METHODS.find((one) => one.name === name);
  if (method === undefined) throw new Error(`the Bridge has no method ${name}`);
  const answer = requireAnswer(method, method.selector, account);
  return answer.length === 0 ? null : decodeAbi([output], answer)[0];
}

/** The result of `eth_bridgeState`. */
export interface BridgeSummary {
  /** The height of the parent chain's best block in the Bridge. */
  readonly parentChainHeight: number;
  /** The hashes (32 bytes) of the transactions that wait for signatures. */
  readonly waitingForSignatures: readonly Uint8Array[];
}

/**
 * Returns the summary of the Bridge in a state; on a fork, of the forked chain. Throws `MissingStateError`.
 * Throws `UnanswerableCallError` if the Bridge was changed on the fork.
 */
export function bridgeSummary(state: WorldState): BridgeSummary {
  const account = readOnlyAccount(state);
  if (account.upstream(BRIDGE_ADDRESS) === null) {
    const { parentChain, pegouts } = new BridgeState(account, LOCAL_CONSTANTS);
    const waitingForSignatures = pegouts.unsigned().map(({ creationHash }) => creationHash);
    return { parentChainHeight: parentChain.head.height, waitingForSignatures };
  }
  const height = upstreamValue('getBtcBlockchainBestChainHeight', 'int256', account);
  const waiting = upstreamValue('getStateForBtcReleaseClient', 'bytes', account);
  return {
    parentChainHeight: Number(height ?? 0n),
    waitingForSignatures: waiting === null ? [] : waitingIn(waiting),
  };
}

/** Returns the hashes from a list with one list of alternating hashes and transactions. */
function waitingIn(encoded: Uint8Array): Uint8Array[] {
  const state = decodeRlp(encoded);
  const waiting = state instanceof Uint8Array ? undefined : state[0];
  if (waiting === undefined || waiting instanceof Uint8Array) return [];
  return waiting.flatMap((item, index) => (index % 2 === 0 && item instanceof Uint8Array ? [item] : []));
}

/**
 * Returns the union bridge's event for the header of the block after this state (RSKIP-535); empty if there
 * is none. On a fork, it comes from the forked chain until this chain changes its Bridge. Throws
 * `MissingStateError`.
 */
export function baseEventIn(state: WorldState): Uint8Array {
  const account = readOnlyAccount(state);
  const upstream = account.upstream(BRIDGE_ADDRESS);
  if (upstream === null || isChanged(account, upstream))
    return new BridgeState(account, LOCAL_CONSTANTS).union.event('Base');
  return upstreamValue('getBaseEvent', 'bytes', account) ?? EMPTY_BYTES;
}
