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
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import { isRemascTransaction } from '../protocol/remasc.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { runTask, type Task } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BreakpointSet, SourceLine } from './breakpoint-set.ts';
import type { BreakpointScope, Breakpoints, WantedLines } from './breakpoints.ts';
import {
  type CallStack,
  CallStackRecorder,
  callStackOf,
  failedCallStack,
  type StackPage,
} from './call-stack.ts';
import { type CreationIndexes, creationIndexes, placeOf } from './creations.ts';
import {
  type ContractSource,
  type ContractsAt,
  contractSource,
  DeployedContracts,
} from './deployed-contracts.ts';
import { NotFailedError } from './errors.ts';
import type { EvaluatedState, Evaluations } from './evaluation/evaluations.ts';
import type { EvaluatedExpression } from './evaluation/shown-result.ts';
import { TooManyStepsError } from './execution-recorder.ts';
import { type InspectedExecution, minedBlockOf, type Run, runOf } from './executions.ts';
import { failingPath } from './failing-path.ts';
import { failingStep, LastStepsRecorder } from './failing-step.ts';
import {
  contractsOfFrames,
  type InspectedCall,
  type InspectedConsole,
  type InspectedEvent,
  type Inspection,
  InspectionBuilder,
} from './inspection.ts';
import { inspectionRecorder, type RecordedInspection, type RecordingOptions } from './inspection-recorder.ts';
import type { BlockPosition, ContractsOfFrames, KnownContract, KnownContracts } from './known-contracts.ts';
import { hasParentTransaction, type ParentTransactionOf } from './parent-transaction.ts';
import { guidesOf, type SourceIndex, type SourceIndexes } from './source-index.ts';
import { failedFramesOf, stackTraceOf } from './stack-trace.ts';
import { type StorageChangesAt, stateChanges, storageChanges } from './state-changes.ts';
import { type StepEvents, stepEvents } from './step-events.ts';
import { type StepPage, StepPositions, StepRecorder, type Steps } from './steps.ts';
import { KnownLayouts } from './storage/contract-storage.ts';
import {
  type ContractStorage,
  contractStorage,
  KnownKeys,
  type StorageQuestion,
} from './storage/contract-storage-tree.ts';
import { type EventNames, eventNames, type TransactionNames, transactionNames } from './transaction-names.ts';
import type { NamedAddress, NameOfAddress } from './value-text.ts';
import { KnownVariablePlaces } from './variables/step-variables.ts';

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
  readonly #chain: Chain;
  readonly #deployed: DeployedContracts;
  /** A cache of guides for contracts that failed. */
  readonly #guides: SourceIndexes = new WeakMap();
  readonly #layouts: KnownLayouts;
  readonly #variables = new KnownVariablePlaces();
  readonly #keys: KnownKeys;
  #evaluations: Promise<Evaluations> | null = null;
  /** Outcomes of calls to precompiles, by block hash and transaction index; true if the call failed. */
  readonly #precompileCalls = new Map<string, boolean>();

  constructor(chain: Chain, contracts: KnownContracts) {
    this.#chain = chain;
    this.contracts = contracts;
    this.#layouts = new KnownLayouts((text) => contracts.artifacts.warn(text));
    this.#keys = new KnownKeys(chain);
    this.#deployed = new DeployedContracts(chain, contracts);
  }

  /** Inspects the transaction at this index of the block. Rejects like `ChainTracing.transaction`. */
  transaction(block: Block | TracedBlock, index: number, options: InspectionOptions): Promise<Inspection> {
    const execution = { block, index };
    const run = runOf(this.#chain, execution, options.checkCancelled, options.rules);
    return this.#inspect(run, options, this.#placeOf(execution));
  }

  /**
   * Resolves to all statements of the execution, and to one page of its opcodes. `failedAt` is the step that
   * failed; `null` if none did. Rejects like `ChainTracing.transaction` and `ChainTracing.heldCall`.
   */
  async steps(
    execution: InspectedExecution,
    page: StepPage,
    checkCancelled: CancelCheck,
  ): Promise<Steps & StepEvents & { readonly failedAt: number | null }> {
    const { run, recorded, contracts } = await this.#framesOf(execution, checkCancelled);
    const places = await StepPositions.of(contracts, page.variables ? this.#variables : null);
    const steps = await run((subject) => new StepRecorder(subject, contracts, places, page));
    const failing = recorded.root.end.outcome === 'success' ? [] : failingPath(recorded.root, contracts);
    const events = page.events
      ? await this.#stepEvents(run, { recorded, contracts, steps }, checkCancelled)
      : { events: [], omittedEvents: 0 };
    return { ...steps, ...events, failedAt: failingStep(failing, steps.lastSteps) };
  }

  async #stepEvents(
    run: Run,
    found: { recorded: RecordedInspection; contracts: ContractsOfFrames; steps: Steps },
    checkCancelled: CancelCheck,
  ): Promise<StepEvents> {
    const { contracts, steps } = found;
    const builder = new InspectionBuilder(this.contracts, contracts);
    const hasFailed = found.recorded.frames.some(({ end }) => end.outcome !== 'success');
    // Only a recording with steps has the reasons of failed checks.
    const guides = hasFailed ? await this.#guidesOf(found.recorded, contracts) : null;
    const recorded =
      guides === null
        ? found.recorded
        : await this.#stepped(run, found.recorded, { guides, hasState: false });
    const { failure } = await builder.build(recorded, [], checkCancelled);
    const calls = await builder.calls(recorded, checkCancelled);
    const names = (address: string): string | null => this.contracts.labelOf(address);
    return stepEvents({ recorded, calls, contracts, failure }, steps, names);
  }

  /**
   * Resolves to the storage variables that changed before a step. Rejects with `StepOutOfRangeError`, and like
   * the run of the execution.
   */
  async changesAt(
    execution: InspectedExecution,
    step: number,
    checkCancelled: CancelCheck,
  ): Promise<StorageChangesAt> {
    const { ChangesAtStepRecorder } = await import('./storage/changes-at-step.ts');
    const { run, recorded, contracts } = await this.#framesOf(execution, checkCancelled);
    const state = await run((subject) => new ChangesAtStepRecorder(subject, step));
    return storageChanges(state, recorded.frames, { contracts, layouts: this.#layouts, checkCancelled });
  }

  /**
   * Resolves to the value of an expression before a step of an execution. Rejects with `EvaluationError` and
   * `StepOutOfRangeError`, and like the run of the execution.
   */
  async evaluate(
    execution: InspectedExecution,
    step: number,
    expression: string,
    checkCancelled: CancelCheck,
  ): Promise<EvaluatedExpression> {
    this.#evaluations ??= this.#openEvaluations();
    const run = runOf(this.#chain, execution, checkCancelled);
    return (await this.#evaluations).evaluate({ execution, run }, step, expression, checkCancelled);
  }

  /** Resolves to the state variables of the running contract before a step. Rejects like {@link evaluate}. */
  async state(
    execution: InspectedExecution,
    step: number,
    checkCancelled: CancelCheck,
  ): Promise<EvaluatedState> {
    this.#evaluations ??= this.#openEvaluations();
    const run = runOf(this.#chain, execution, checkCancelled);
    return (await this.#evaluations).state({ execution, run }, step, checkCancelled);
  }

  async #openEvaluations(): Promise<Evaluations> {
    const { Evaluations } = await import('./evaluation/evaluations.ts');
    return new Evaluations({
      chain: this.#chain,
      known: this.contracts,
      layouts: this.#layouts,
      variables: this.#variables,
      keys: this.#keys,
      contractsAt: (state, address) => this.contractsAt(state, address),
      contractsOf: (recorded, replay, checkCancelled) =>
        contractsOfFrames(recorded, this.contracts, checkCancelled, () =>
          creationIndexes((createTracer) => replay.run(createTracer)),
        ),
    });
  }

  /**
   * Resolves to the functions that have not ended at the step, innermost first. Rejects like {@link steps}, and
   * with a `StepOutOfRangeError`.
   */
  async callStack(
    execution: InspectedExecution,
    step: number,
    page: StackPage,
    checkCancelled: CancelCheck,
  ): Promise<CallStack> {
    const { run, contracts } = await this.#framesOf(execution, checkCancelled);
    const guides = await guidesOf(contracts, this.#guides);
    const recorded = await run((subject) => new CallStackRecorder(subject, guides, step));
    return callStackOf(recorded, contracts, guides, page, checkCancelled);
  }

  /**
   * Resolves to the stack trace of a failed execution as a call stack, with the step that failed. Rejects with
   * a `NotFailedError` if the execution succeeded, and as {@link callStack} does.
   */
  async failedCallStack(
    execution: InspectedExecution,
    page: StackPage,
    checkCancelled: CancelCheck,
  ): Promise<CallStack & { readonly step: number | null }> {
    const { run, recorded, contracts } = await this.#framesOf(execution, checkCancelled);
    if (recorded.root.end.outcome === 'success') throw new NotFailedError();
    const guides = await this.#guidesOf(recorded, contracts);
    const stepped = await this.#stepped(run, recorded, { guides, hasState: false });
    const frames = await failedFramesOf(stepped, contracts, checkCancelled);
    const stack = await failedCallStack(frames, contracts, page, checkCancelled);
    const lastSteps = await run(() => new LastStepsRecorder());
    return { ...stack, step: failingStep(failingPath(recorded.root, contracts), lastSteps) };
  }

  /**
   * Maps lines of a file to program counters: in the contracts of an execution, in the contract at an address,
   * or in all known contracts.
   */
  async breakpoints(
    wanted: WantedLines,
    target: InspectedExecution | Uint8Array | null,
    checkCancelled: CancelCheck,
  ): Promise<Breakpoints> {
    const { breakpointsOf } = await import('./breakpoints.ts');
    const scope = target === null ? null : await this.#scopeOf(target, checkCancelled);
    const [mapped] = await breakpointsOf(this.contracts, [wanted], scope, checkCancelled);
    if (mapped === undefined) throw new Error('breakpointsOf returned no result for a file');
    return mapped;
  }

  /**
   * Resolves to the first breakpoint that the execution reaches; `null` if it reaches none. `run` runs the execution,
   * if its block is replayed already.
   */
  async firstBreakpoint(
    execution: InspectedExecution,
    breakpoints: BreakpointSet,
    checkCancelled: CancelCheck,
    run = runOf(this.#chain, execution, checkCancelled),
  ): Promise<SourceLine | null> {
    const { contracts } = await this.#framesOf(execution, checkCancelled, run);
    const places = await breakpoints.placesIn(contracts, this.contracts, checkCancelled);
    if (places.every((place) => place === null)) return null;
    const { BreakpointTracer } = await import('./breakpoint-set.ts');
    return run(() => new BreakpointTracer(places));
  }

  async #scopeOf(
    target: InspectedExecution | Uint8Array,
    checkCancelled: CancelCheck,
  ): Promise<BreakpointScope> {
    const isKnown = (contract: KnownContract | null | undefined): contract is KnownContract =>
      contract !== null && contract !== undefined;
    if (!(target instanceof Uint8Array)) {
      const { contracts } = await this.#framesOf(target, checkCancelled);
      return { contracts: [...new Set(contracts.filter(isKnown))], subject: 'the execution' };
    }
    const { contract, implementation } = await this.contractsAt(this.#chain.headState(), target);
    const contracts = [contract, implementation?.contract].filter(isKnown);
    const kind = contracts.length === 0 ? 'the unknown contract' : 'the contract';
    return { contracts, subject: `${kind} at ${toHex(target)}` };
  }

  /** Resolves to the frames of the execution and their contracts, and a function that runs it again. */
  async #framesOf(
    execution: InspectedExecution,
    checkCancelled: CancelCheck,
    run = runOf(this.#chain, execution, checkCancelled),
  ): Promise<{
    readonly run: Run;
    readonly recorded: RecordedInspection;
    readonly contracts: ContractsOfFrames;
  }> {
    const recorded = await run(inspectionRecorder({ guides: null, hasState: false }));
    const contracts = await contractsOfFrames(
      recorded,
      this.contracts,
      checkCancelled,
      () => creationIndexes(run),
      this.#placeOf(execution),
    );
    return { run, recorded, contracts };
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
    const run = runOf(this.#chain, { call: held }, options.checkCancelled);
    const inspection = await this.#inspect(run, options);
    const { failure } = inspection;
    if (failure === null || held.gasCut === undefined) return inspection;
    const message = `${failure.message} (${gasCutText(held.gasCut)})`;
    return { ...inspection, failure: { ...failure, message } };
  }

  /** The block of an execution; `null` for a call, and for the next block, whose state is the current state. */
  #placeOf(execution: InspectedExecution): BlockPosition | null {
    const block = minedBlockOf(execution);
    if (block === null || equalBytes(block.header.parentHash, this.#chain.head().hash)) return null;
    return placeOf(block);
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
    run: Run,
    { hasChanges, checkCancelled }: InspectionOptions,
    at: BlockPosition | null = null,
  ): Promise<Inspection> {
    // A recording of frames is cheap. Only steps show where a frame ended and which slots it wrote, but they
    // cost ten times as much.
    const frames = await run(inspectionRecorder({ guides: null, hasState: false }));
    const placesOf = (): Promise<CreationIndexes> => creationIndexes(run);
    const contracts = await contractsOfFrames(frames, this.contracts, checkCancelled, placesOf, at);
    const builder = new InspectionBuilder(
      this.contracts,
      contracts,
      await this.#parentTransactionsOf(frames),
    );
    const hasSources = contracts.some((contract) => contract?.map != null);
    const hasFailed = frames.root.end.outcome !== 'success';
    const guides = hasFailed && hasSources ? await this.#guidesOf(frames, contracts) : null;
    const recorded =
      guides === null && !hasChanges
        ? frames
        : await this.#stepped(run, frames, { guides, hasState: hasChanges });
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

  /** Resolves to the guides of the failed frames. */
  #guidesOf({ frames }: RecordedInspection, contracts: ContractsOfFrames): Promise<(SourceIndex | null)[]> {
    const failed = contracts.map((contract, index) =>
      frames[index]?.end.outcome === 'success' ? null : contract,
    );
    return guidesOf(failed, this.#guides);
  }

  /** Records again with steps. If there are too many steps, the stack trace has no lines. */
  async #stepped(
    run: Run,
    frames: RecordedInspection,
    options: RecordingOptions,
  ): Promise<RecordedInspection> {
    try {
      return await run(inspectionRecorder(options));
    } catch (error) {
      if (!(error instanceof TooManyStepsError)) throw error;
      return options.hasState ? run(inspectionRecorder({ ...options, guides: null })) : frames;
    }
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
