/** Answers a debugger's questions about one execution. */

import type { Chain } from '../chain/chain.ts';
import { toHex } from '../primitives/hex.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import type { BreakpointSet, SourceLine } from './breakpoint-set.ts';
import type { BreakpointScope, Breakpoints, WantedLines } from './breakpoints.ts';
import {
  type CallStack,
  CallStackRecorder,
  callStackOf,
  failedCallStack,
  type StackPage,
} from './call-stack.ts';
import { creationIndexes } from './creations.ts';
import type { DeployedContracts } from './deployed-contracts.ts';
import { NotFailedError } from './errors.ts';
import type { EvaluatedState, Evaluations } from './evaluation/evaluations.ts';
import type { EvaluatedExpression } from './evaluation/shown-result.ts';
import { type InspectedExecution, runOf } from './executions.ts';
import { failingPath } from './failing-path.ts';
import { failingStep, LastStepsRecorder } from './failing-step.ts';
import type { FrameRecordings, FramesOfExecution } from './frame-recordings.ts';
import { contractsOfFrames, InspectionBuilder } from './inspection.ts';
import type { RecordedInspection } from './inspection-recorder.ts';
import type { KnownContract, KnownContracts } from './known-contracts.ts';
import { failedFramesOf } from './stack-trace.ts';
import { type StorageChangesAt, storageChanges } from './state-changes.ts';
import { type StepEvents, stepEvents } from './step-events.ts';
import { type StepPage, StepPositions, StepRecorder, type Steps } from './steps.ts';
import type { KnownLayouts } from './storage/contract-storage.ts';
import type { KnownKeys } from './storage/contract-storage-tree.ts';
import { KnownVariablePlaces } from './variables/step-variables.ts';

/** The parts that the inspector and its debugger share. */
export interface KnownToInspector {
  readonly contracts: KnownContracts;
  readonly deployed: DeployedContracts;
  readonly frames: FrameRecordings;
  readonly layouts: KnownLayouts;
  readonly keys: KnownKeys;
}

export class ExecutionDebugger {
  readonly #chain: Chain;
  readonly #contracts: KnownContracts;
  readonly #deployed: DeployedContracts;
  readonly #frames: FrameRecordings;
  readonly #layouts: KnownLayouts;
  readonly #keys: KnownKeys;
  readonly #variables = new KnownVariablePlaces();
  #evaluations: Promise<Evaluations> | null = null;

  constructor(chain: Chain, known: KnownToInspector) {
    this.#chain = chain;
    this.#contracts = known.contracts;
    this.#deployed = known.deployed;
    this.#frames = known.frames;
    this.#layouts = known.layouts;
    this.#keys = known.keys;
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
    const frames = await this.#frames.of(execution, checkCancelled);
    const { run, recorded, contracts } = frames;
    const places = await StepPositions.of(contracts, page.variables ? this.#variables : null);
    const steps = await run((subject) => new StepRecorder(subject, contracts, places, page));
    const failing = recorded.root.end.outcome === 'success' ? [] : failingPath(recorded.root, contracts);
    const events = page.events
      ? await this.#stepEvents(frames, steps, checkCancelled)
      : { events: [], omittedEvents: 0 };
    return { ...steps, ...events, failedAt: failingStep(failing, steps.lastSteps) };
  }

  async #stepEvents(
    frames: FramesOfExecution,
    steps: Steps,
    checkCancelled: CancelCheck,
  ): Promise<StepEvents> {
    const { contracts } = frames;
    const builder = new InspectionBuilder(this.#contracts, contracts);
    const hasFailed = frames.recorded.frames.some(({ end }) => end.outcome !== 'success');
    // Only a recording with steps has the reasons of failed checks.
    const recorded = hasFailed ? await this.#withReasons(frames) : frames.recorded;
    const { failure } = await builder.build(recorded, [], checkCancelled);
    const calls = await builder.calls(recorded, checkCancelled);
    const names = (address: string): string | null => this.#contracts.labelOf(address);
    return stepEvents({ recorded, calls, contracts, failure }, steps, names);
  }

  async #withReasons(frames: FramesOfExecution): Promise<RecordedInspection> {
    const guides = await this.#frames.guidesOfFailed(frames);
    return this.#frames.stepped(frames, { guides, hasState: false });
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
    const { run, recorded, contracts } = await this.#frames.of(execution, checkCancelled);
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
      known: this.#contracts,
      layouts: this.#layouts,
      variables: this.#variables,
      keys: this.#keys,
      contractsAt: async (state, address) => runTask(this.#deployed.at(state, address)),
      contractsOf: (recorded, replay, checkCancelled) =>
        contractsOfFrames(recorded, this.#contracts, checkCancelled, () =>
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
    const { run, contracts } = await this.#frames.of(execution, checkCancelled);
    const guides = await this.#frames.guidesOf(contracts);
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
    const frames = await this.#frames.of(execution, checkCancelled);
    const { run, recorded, contracts } = frames;
    if (recorded.root.end.outcome === 'success') throw new NotFailedError();
    const failed = await failedFramesOf(await this.#withReasons(frames), contracts, checkCancelled);
    const stack = await failedCallStack(failed, contracts, page, checkCancelled);
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
    const [mapped] = await breakpointsOf(this.#contracts, [wanted], scope, checkCancelled);
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
    const { contracts } = await this.#frames.of(execution, checkCancelled, run);
    const places = await breakpoints.placesIn(contracts, this.#contracts, checkCancelled);
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
      const { contracts } = await this.#frames.of(target, checkCancelled);
      return { contracts: [...new Set(contracts.filter(isKnown))], subject: 'the execution' };
    }
    const { contract, implementation } = await runTask(this.#deployed.at(this.#chain.headState(), target));
    const contracts = [contract, implementation?.contract].filter(isKnown);
    const kind = contracts.length === 0 ? 'the unknown contract' : 'the contract';
    return { contracts, subject: `${kind} at ${toHex(target)}` };
  }
}
