/** The changes of an execution: variables in storage, balances and tokens, under the names of the accounts. */

import type { Chain } from '../chain/chain.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { type CheckInterrupt, uninterrupted, yieldToOthers } from '../primitives/interrupt.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import { type BalanceChange, balanceChanges } from './balance-changes.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import type { RecordedInspection } from './inspection-recorder.ts';
import type { ContractsOfFrames } from './known-contracts.ts';
import type { NamedAddress } from './named-address.ts';
import type { KnownLayouts } from './storage/contract-storage.ts';
import type { RecordedState } from './storage/state-recorder.ts';
import { type StorageChange, StorageChangesBuilder } from './storage/storage-changes.ts';
import { type AskContract, type TokenChange, tokenChanges } from './token-changes.ts';

/** A changed variable, see `StorageChange`. */
export type InspectedStorageChange = Omit<StorageChange, 'account' | 'keys'> & {
  readonly account: NamedAddress;
};
/** A changed balance, see `BalanceChange`. */
export type InspectedBalanceChange = Omit<BalanceChange, 'account'> & { readonly account: NamedAddress };
/** A changed balance of a token, see `TokenChange`. */
export type InspectedTokenChange = Omit<TokenChange, 'account' | 'token'> & {
  readonly account: NamedAddress;
  readonly token: NamedAddress;
};

/** The changes of an execution. */
export interface StateChanges {
  readonly storage: readonly InspectedStorageChange[];
  /** The transient storage at the end of the execution. */
  readonly transientStorage: readonly InspectedStorageChange[];
  /** Slots that were changed too and are not told. */
  readonly omittedSlots: number;
  readonly balances: readonly InspectedBalanceChange[];
  readonly tokens: readonly InspectedTokenChange[];
}

/** Gas of a question to a token: names and balances cost a tenth of that. */
const QUESTION_GAS = 300_000n;
const NOBODY = new Uint8Array(20);
const BALANCE_OF = '0x70a08231';

/** The dependencies of {@link stateChanges}. */
export interface ChangesContext {
  readonly chain: Chain;
  readonly contracts: ContractsOfFrames;
  readonly layouts: KnownLayouts;
  readonly nameOf: (address: string) => string | null;
  readonly checkInterrupt: CheckInterrupt;
}

/** Resolves to what an execution changed. Rejects with what `checkInterrupt` throws. */
export async function stateChanges(
  recording: RecordedInspection,
  state: RecordedState,
  { chain, contracts, layouts, nameOf, checkInterrupt }: ChangesContext,
): Promise<StateChanges> {
  const { frames, result, subject } = recording;
  const named = (address: string): NamedAddress => ({ address, name: nameOf(address) });
  const found = await new StorageChangesBuilder(state, frames, contracts, layouts).build(checkInterrupt);
  const namedChange = ({ account, keys: _, ...change }: StorageChange): InspectedStorageChange => ({
    account: named(toHex(account)),
    ...change,
  });
  const facts = { message: subject.message, environment: subject.environment, result };
  const balances = await fetchingState(
    () => balanceChanges(state.before, state.after, facts),
    checkInterrupt,
  );
  const ask: AskContract = async (side, to, data) => {
    await yieldToOthers(checkInterrupt);
    const answer = await fetchingState(
      () => chain.calls.callOn(state[side], subject.environment, question(to, data), checkInterrupt),
      checkInterrupt,
    );
    return answer.outcome === 'success' ? answer.returnData : null;
  };
  const tokenAccounts = accountsWith(BALANCE_OF, frames, contracts);
  const tokens = await tokenChanges({
    logs: result.logs,
    storage: found.storage,
    isToken: (account) => tokenAccounts.has(hexKey(account)),
    ask,
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

/** Resolves to what a function of a contract answers on the state, as if in the newest block; to `null` when it fails. */
export async function askNow(
  { calls }: Chain,
  state: WorldState,
  to: Uint8Array,
  data: Uint8Array,
): Promise<Uint8Array | null> {
  const { environment } = await calls.site({ tag: 'latest' }, uninterrupted);
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

/** The accounts, in 40 digits, whose code or that behind it has a function with the selector. */
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
