/** Inspects transactions and calls of a chain: runs them again with a recorder and describes the result. */

import type { DecodedParameter } from '../artifacts/decoding.ts';
import type { BlockSelector } from '../chain/block-selector.ts';
import { gasCutText, type RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import type { ExecutionRules } from '../chain/execution/replay.ts';
import type { CallOverrides } from '../chain/execution/state-overrides.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import { isRemascTransaction } from '../protocol/remasc.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { runTask, type Task } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { WorldState } from '../state/world-state.ts';
import { placeOf } from './creations.ts';
import {
  type ContractSource,
  type ContractsAt,
  contractSource,
  DeployedContracts,
} from './deployed-contracts.ts';
import { ExecutionDebugger } from './execution-debugger.ts';
import { type InspectedExecution, runOf } from './executions.ts';
import { FrameRecordings } from './frame-recordings.ts';
import {
  type InspectedCall,
  type InspectedConsole,
  type InspectedEvent,
  type Inspection,
  InspectionBuilder,
} from './inspection.ts';
import { inspectionRecorder, type RecordedInspection } from './inspection-recorder.ts';
import type { KnownContracts } from './known-contracts.ts';
import { hasParentTransaction, type ParentTransactionOf } from './parent-transaction.ts';
import { stackTraceOf } from './stack-trace.ts';
import { stateChanges } from './state-changes.ts';
import { KnownLayouts } from './storage/contract-storage.ts';
import {
  type ContractStorage,
  contractStorage,
  KnownKeys,
  type StorageQuestion,
} from './storage/contract-storage-tree.ts';
import { type EventNames, eventNames, type TransactionNames, transactionNames } from './transaction-names.ts';
import type { NamedAddress, NameOfAddress } from './value-text.ts';

/** Units of work to check one decoded value. */
const VALUE_WORK = 64;

/**
 * Returns the distinct labelled addresses in the arguments, results, events and errors of a call and its
 * inner calls. Yields between time slices.
 */
function* usedLabels(root: InspectedCall, labelOf: NameOfAddress): Task<readonly NamedAddress[]> {
  const found = new Map<string, string>();
  const calls: (InspectedCall | InspectedEvent | InspectedConsole)[] = [root];
  for (let item = calls.pop(); item !== undefined; item = calls.pop()) {
    if (item.kind === 'call') for (const inner of item.items) calls.push(inner);
    const values = valuesOf(item);
    for (let value = values.pop(); value !== undefined; value = values.pop()) {
      if (typeof value.value === 'object') for (const member of value.value) values.push(member);
      else if (value.type === 'address' && typeof value.value === 'string') {
        const address = value.value.toLowerCase();
        const label = labelOf(address);
        if (label !== null) found.set(address, label);
      }
      yield VALUE_WORK;
    }
  }
  return Array.from(found, ([address, name]) => ({ address, name }));
}

function valuesOf(item: InspectedCall | InspectedEvent | InspectedConsole): DecodedParameter[] {
  if (item.kind === 'console') return [];
  if (item.kind === 'event') return [...(item.event?.parameters ?? [])];
  const { call, results, failure } = item;
  return [...(call?.parameters ?? []), ...(results ?? []), ...(failure?.error?.parameters ?? [])];
}

/** Maximum cached outcomes of calls to precompiles. */
const MAX_PRECOMPILE_CALLS = 10_000;

export interface InspectionOptions {
  /** True to report state changes. This observes every opcode. */
  readonly hasChanges: boolean;
  readonly checkCancelled: CancelCheck;
  /** Rules to use instead of the chain's rules. */
  readonly rules?: ExecutionRules | undefined;
}

export class Inspector {
  readonly contracts: KnownContracts;
  /** The answers to questions of a debugger. */
  readonly debugger: ExecutionDebugger;
  readonly #chain: Chain;
  readonly #deployed: DeployedContracts;
  readonly #frames: FrameRecordings;
  readonly #layouts: KnownLayouts;
  readonly #keys: KnownKeys;
  /** Outcomes of calls to precompiles, by block hash and transaction index; true if the call failed. */
  readonly #precompileCalls = new Map<string, boolean>();

  constructor(chain: Chain, contracts: KnownContracts) {
    this.#chain = chain;
    this.contracts = contracts;
    this.#layouts = new KnownLayouts((text) => contracts.artifacts.warn(text));
    this.#keys = new KnownKeys(chain);
    this.#deployed = new DeployedContracts(chain, contracts);
    this.#frames = new FrameRecordings(chain, contracts);
    this.debugger = new ExecutionDebugger(chain, {
      contracts,
      deployed: this.#deployed,
      frames: this.#frames,
      layouts: this.#layouts,
      keys: this.#keys,
    });
  }

  /** Inspects the transaction at this index of the block. Rejects like `ChainTracing.transaction`. */
  transaction(block: Block | TracedBlock, index: number, options: InspectionOptions): Promise<Inspection> {
    return this.#inspect({ block, index }, options);
  }

  /** Inspects a call on the state after the block. Rejects like `ChainTracing.call`. */
  async call(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides,
    options: InspectionOptions,
  ): Promise<Inspection> {
    const { checkCancelled, rules } = options;
    const held = await this.#chain.tracing.holdCall(message, selector, overrides, checkCancelled, rules);
    return this.heldCall(held, options);
  }

  /** Inspects a call that ran before, on the same state. Rejects like `ChainTracing.heldCall`. */
  async heldCall(held: RecordedCall, options: InspectionOptions): Promise<Inspection> {
    const inspection = await this.#inspect({ call: held }, options);
    const { failure } = inspection;
    if (failure === null || held.gasCut === undefined) return inspection;
    const message = `${failure.message} (${gasCutText(held.gasCut)})`;
    return { ...inspection, failure: { ...failure, message } };
  }

  /**
   * Resolves to true if the transaction called a failed precompile although its receipt has the success
   * status. `state` is the state after the block.
   */
  async failedAtPrecompile(
    block: Block,
    index: number,
    state: WorldState,
    checkCancelled: CancelCheck,
  ): Promise<boolean> {
    const transaction = block.transactions[index];
    const { failureInTransactionSucceeds } = this.#chain.ruleSet.precompiles;
    if (!failureInTransactionSucceeds || transaction?.to == null) return false;
    if (isRemascTransaction(transaction)) return false;
    if (!(await runTask(this.#deployed.hasPrecompile(state, transaction.to)))) return false;
    const key = hexKey(block.hash) + index;
    const known = this.#precompileCalls.get(key);
    if (known !== undefined) return known;
    const recorder = inspectionRecorder({ guides: null, hasState: false });
    const { root } = await this.#chain.tracing.transaction(block, index, recorder, checkCancelled);
    if (this.#precompileCalls.size >= MAX_PRECOMPILE_CALLS) this.#precompileCalls.clear();
    const failed = root.end.outcome !== 'success';
    this.#precompileCalls.set(key, failed);
    return failed;
  }

  /** Returns true if the address is a precompile in this state. */
  hasPrecompile(state: WorldState, address: Uint8Array): Awaitable<boolean> {
    return runTask(this.#deployed.hasPrecompile(state, address));
  }

  /** Names a successful mined transaction and its events; see {@link transactionNames}. */
  names(
    transaction: Transaction,
    result: Pick<ExecutionResult, 'createdAddress' | 'logs'>,
    block: Block,
    state: WorldState,
  ): Awaitable<TransactionNames> {
    const site = { state, at: placeOf(block) };
    return runTask(transactionNames(this.#deployed, transaction, result, site));
  }

  /** Returns a function that names events in the state after the block. */
  eventNames(block: Block, state: WorldState): (log: Log) => Awaitable<EventNames> {
    const site = { state, at: placeOf(block), found: new Map() };
    return (log) => runTask(eventNames(this.#deployed, site, log));
  }

  /** Resolves to the contract at an address and, for a proxy, its implementation. */
  async contractsAt(state: WorldState, address: Uint8Array): Promise<ContractsAt> {
    return runTask(this.#deployed.at(state, address));
  }

  /**
   * Resolves to the sources of the contract and of its implementation; `null` if neither is known. Without
   * `hasFiles`, the files are left out.
   */
  async source(
    state: WorldState,
    address: Uint8Array,
    hasFiles: boolean,
    checkCancelled: CancelCheck,
  ): Promise<SourcesAt | null> {
    const { contract, implementation } = await this.contractsAt(state, address);
    const behind = implementation?.contract ?? null;
    if (contract === null && behind === null) return null;
    return {
      contract: contract === null ? null : await contractSource(contract, hasFiles, checkCancelled),
      implementation:
        implementation === null
          ? null
          : {
              address: implementation.address,
              contract: behind === null ? null : await contractSource(behind, hasFiles, checkCancelled),
            },
    };
  }

  /** Resolves to the storage of the contract; `storage` is `null` if no variable has the requested name. */
  async storage(question: StorageQuestion): Promise<StorageAt> {
    const { state, address } = question;
    const { contract, implementation } = await this.contractsAt(state, address);
    // A proxy's storage has the variables of its implementation.
    const described = implementation?.contract ?? contract;
    const layout = described === null ? null : await this.#layouts.of(described);
    const storage = await contractStorage(layout, this.#keys, question);
    return { contract: described?.name ?? null, implementation: implementation?.address ?? null, storage };
  }

  async #inspect(
    execution: InspectedExecution,
    { hasChanges, checkCancelled, rules }: InspectionOptions,
  ): Promise<Inspection> {
    const run = runOf(this.#chain, execution, checkCancelled, rules);
    const frames = await this.#frames.of(execution, checkCancelled, run);
    const { contracts } = frames;
    const builder = new InspectionBuilder(
      this.contracts,
      contracts,
      await this.#parentTransactionsOf(frames.recorded),
    );
    const hasSources = contracts.some((contract) => contract?.map != null);
    const hasFailed = frames.recorded.root.end.outcome !== 'success';
    const guides = hasFailed && hasSources ? await this.#frames.guidesOfFailed(frames) : null;
    const recorded =
      guides === null && !hasChanges
        ? frames.recorded
        : await this.#frames.stepped(frames, { guides, hasState: hasChanges });
    const trace = hasFailed ? await stackTraceOf(recorded, contracts, checkCancelled) : [];
    const made = await builder.build(recorded, trace, checkCancelled);
    const { hasLabels, labelOf } = this.contracts;
    const labels = hasLabels
      ? await runTask(usedLabels(made.call, labelOf), new TimeSlice(checkCancelled))
      : made.labels;
    const inspection = { ...made, labels };
    if (recorded.state === null) return inspection;
    await this.#keys.add(recorded.state.preimages, checkCancelled);
    const context = {
      chain: this.#chain,
      contracts,
      layouts: this.#layouts,
      nameOf: (address: string) => builder.nameOf(address),
      checkCancelled,
    };
    return { ...inspection, changes: await stateChanges(recorded, recorded.state, context) };
  }

  /** Resolves to a decoder of Bitcoin transactions. It is loaded only if the execution has one. */
  async #parentTransactionsOf({
    frames,
    subject,
  }: RecordedInspection): Promise<ParentTransactionOf | undefined> {
    if (!hasParentTransaction(frames)) return undefined;
    const { parentTransactionDecoder } = await import('./parent-transaction-decoder.ts');
    const { settings, options } = this.#chain;
    return parentTransactionDecoder(settings.chainId, options.federation, subject.before);
  }
}

/** The sources of the contract at an address, in the shape of {@link ContractsAt}. */
export interface SourcesAt {
  readonly contract: ContractSource | null;
  readonly implementation: { readonly address: Uint8Array; readonly contract: ContractSource | null } | null;
}

export interface StorageAt {
  /** The name of the contract whose layout names the variables. */
  readonly contract: string | null;
  readonly implementation: Uint8Array | null;
  readonly storage: ContractStorage | null;
}
