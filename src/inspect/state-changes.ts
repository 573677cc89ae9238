/** Collects the state changes of an execution: storage variables, balances and tokens, with account names. */

import type { Chain } from '../chain/chain.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../evm/engine.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import { type CancelCheck, neverCancelled, yieldToOthers } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import type { RecordedInspection } from './inspection-recorder.ts';
import type { ContractsOfFrames } from './known-contracts.ts';
import type { KnownLayouts } from './storage/contract-storage.ts';
import type { RecordedState } from './storage/state-recorder.ts';
import { type StorageChange, StorageChangesBuilder } from './storage/storage-changes.ts';
import { type ReadContract, type TokenChange, tokenChanges } from './token-changes.ts';
import type { NamedAddress } from './value-text.ts';

/** A changed balance. All amounts are in wei. */
export interface BalanceChange {
  /** 20 bytes. */
  readonly account: Uint8Array;
  readonly before: bigint;
  readonly after: bigint;
  /** The account's gas payment in wei; included in the difference. */
  readonly feePaid: bigint;
  /** The gas fee received in wei; included in the difference. */
  readonly feeReceived: bigint;
}

/** The data of an execution that determine its fee. */
export interface FeeFacts {
  readonly message: Pick<Message, 'sender'>;
  readonly environment: Pick<BlockEnvironment, 'coinbase' | 'feeRecipient' | 'baseFeePerGas'>;
  readonly result: Pick<ExecutionResult, 'gasPaid' | 'effectiveGasPrice'>;
}

/**
 * Resolves to the changed balances, the sender's first. The base fee is burned, so the recipient may receive
 * less than the sender pays. Rejects with the error that `checkCancelled` throws.
 */
async function balanceChanges(
  before: WorldState,
  after: WorldState,
  facts: FeeFacts,
  checkCancelled: CancelCheck,
): Promise<BalanceChange[]> {
  const { message, environment, result } = facts;
  const { gasPaid, effectiveGasPrice: price } = result;
  const burned = environment.baseFeePerGas ?? 0n;
  const tip = price > burned ? price - burned : 0n;
  const recipient = environment.feeRecipient ?? environment.coinbase;
  const changes: BalanceChange[] = [];
  for (const { address, becomes } of after.differencesFrom(before, 0)) {
    await yieldToOthers(checkCancelled);
    const accountBefore = await fetchingState(() => before.account(address), checkCancelled);
    const balance = accountBefore?.balance ?? 0n;
    const balanceAfter = becomes?.balance ?? 0n;
    if (balance === balanceAfter) continue;
    const isSender = equalBytes(address, message.sender);
    const change: BalanceChange = {
      account: address,
      before: balance,
      after: balanceAfter,
      feePaid: isSender ? gasPaid * price : 0n,
      feeReceived: equalBytes(address, recipient) ? gasPaid * tip : 0n,
    };
    if (isSender) changes.unshift(change);
    else changes.push(change);
  }
  return changes;
}

export type InspectedStorageChange = Omit<StorageChange, 'account' | 'keys'> & {
  readonly account: NamedAddress;
};
export type InspectedBalanceChange = Omit<BalanceChange, 'account'> & { readonly account: NamedAddress };
export type InspectedTokenChange = Omit<TokenChange, 'account' | 'token'> & {
  readonly account: NamedAddress;
  readonly token: NamedAddress;
};

export interface StateChanges {
  readonly storage: readonly InspectedStorageChange[];
  /** Transient storage at the end of the execution. */
  readonly transientStorage: readonly InspectedStorageChange[];
  /** The number of changed slots beyond the limit; they are not reported. */
  readonly omittedSlots: number;
  readonly balances: readonly InspectedBalanceChange[];
  readonly tokens: readonly InspectedTokenChange[];
}

/** Gas limit of a call to a token. Typical `symbol()` and `balanceOf()` calls use a tenth. */
const QUESTION_GAS = 300_000n;
const NOBODY = new Uint8Array(20);
const BALANCE_OF = '0x70a08231';

/** The changes of storage before a step. */
export type StorageChangesAt = Pick<StateChanges, 'storage' | 'transientStorage' | 'omittedSlots'>;

/** Resolves to the changed variables of a recorded state. Accounts have the names of their contracts. */
export async function storageChanges(
  state: RecordedState,
  frames: readonly RecordedFrame[],
  { contracts, layouts, checkCancelled }: Pick<ChangesContext, 'contracts' | 'layouts' | 'checkCancelled'>,
): Promise<StorageChangesAt> {
  const names = new Map<string, string>();
  for (const { start, index } of frames) {
    const name = contracts[index]?.name;
    // A proxy runs the code of another account on its own storage.
    if (name !== undefined && start.kind !== 'DELEGATECALL') names.set(toHex(start.to), name);
  }
  const named = ({ account, keys: _, ...change }: StorageChange): InspectedStorageChange => {
    const address = toHex(account);
    return { account: { address, name: names.get(address) ?? null }, ...change };
  };
  const found = await new StorageChangesBuilder(state, frames, contracts, layouts).build(checkCancelled);
  return {
    storage: found.storage.map(named),
    transientStorage: found.transientStorage.map(named),
    omittedSlots: found.omitted,
  };
}

export interface ChangesContext {
  readonly chain: Chain;
  readonly contracts: ContractsOfFrames;
  readonly layouts: KnownLayouts;
  readonly nameOf: (address: string) => string | null;
  readonly checkCancelled: CancelCheck;
}

/** Resolves to the state changes of an execution. Rejects with the error that `checkCancelled` throws. */
export async function stateChanges(
  recording: RecordedInspection,
  state: RecordedState,
  { chain, contracts, layouts, nameOf, checkCancelled }: ChangesContext,
): Promise<StateChanges> {
  const { frames, result, subject } = recording;
  const named = (address: string): NamedAddress => ({ address, name: nameOf(address) });
  const found = await new StorageChangesBuilder(state, frames, contracts, layouts).build(checkCancelled);
  const namedChange = ({ account, keys: _, ...change }: StorageChange): InspectedStorageChange => ({
    account: named(toHex(account)),
    ...change,
  });
  const facts = { message: subject.message, environment: subject.environment, result };
  const balances = await balanceChanges(state.before, state.after, facts, checkCancelled);
  const ask: ReadContract = async (side, to, data) => {
    await yieldToOthers(checkCancelled);
    return readContract(
      chain,
      { state: state[side], environment: subject.environment },
      to,
      data,
      checkCancelled,
    );
  };
  const tokenAccounts = accountsWith(BALANCE_OF, frames, contracts);
  const tokens = await tokenChanges({
    logs: result.logs,
    storage: found.storage,
    isToken: (account) => tokenAccounts.has(hexKey(account)),
    ask,
    slice: new TimeSlice(checkCancelled),
  });
  return {
    storage: found.storage.map(namedChange),
    transientStorage: found.transientStorage.map(namedChange),
    omittedSlots: found.omitted,
    balances: balances.map(({ account, ...change }) => ({ account: named(toHex(account)), ...change })),
    tokens: tokens.map(({ account, token, ...change }) => ({
      token: named(token),
      account: named(account),
      ...change,
    })),
  };
}

/** The state and the block of a call. */
export interface ReadSite {
  readonly state: WorldState;
  readonly environment: BlockEnvironment;
}

/** Calls an account on a state. Resolves to the return data; `null` if it fails. */
export async function readContract(
  { calls }: Chain,
  { state, environment }: ReadSite,
  to: Uint8Array,
  data: Uint8Array,
  checkCancelled: CancelCheck,
): Promise<Uint8Array | null> {
  const answer = await fetchingState(
    () => calls.callOn(state, environment, question(to, data), checkCancelled),
    checkCancelled,
  );
  return answer.outcome === 'success' ? answer.returnData : null;
}

/** Calls an account in the latest block's environment. Resolves to the return data; `null` if it fails. */
export async function callNow(
  { calls }: Chain,
  state: WorldState,
  to: Uint8Array,
  data: Uint8Array,
): Promise<Uint8Array | null> {
  const { environment } = await calls.site({ tag: 'latest' }, neverCancelled);
  const answer = await fetchingState(() => calls.callOn(state, environment, question(to, data)));
  return answer.outcome === 'success' ? answer.returnData : null;
}

function question(to: Uint8Array, data: Uint8Array): CallMessage {
  return {
    sender: NOBODY,
    to,
    value: 0n,
    data,
    gasLimit: QUESTION_GAS,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  };
}

/** The accounts (40 digits) whose code, or whose implementation, has a function with the selector. */
function accountsWith(
  selector: string,
  frames: readonly RecordedFrame[],
  contracts: ContractsOfFrames,
): Set<string> {
  const found = new Set<string>();
  const storageOf: string[] = [];
  for (const { start, parent, index } of frames) {
    const isDelegated = start.kind === 'DELEGATECALL' || start.kind === 'CALLCODE';
    const account =
      (isDelegated && parent !== null ? storageOf[parent.index] : undefined) ?? hexKey(start.to);
    storageOf.push(account);
    if (contracts[index]?.table.functions.has(selector) === true) found.add(account);
  }
  return found;
}
