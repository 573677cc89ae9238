import { type BlockEnvironment, type ExecutionResult, hasFailed } from '../../evm/engine.ts';
import { type CallNode, CallTree } from '../../evm/tracers/call-tree.ts';
import { TraceBudget, type Tracer, type TracerFactory } from '../../evm/tracers/tracer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { ready, type Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, neverCancelled, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockSelector } from '../block-selector.ts';
import { gasCutText, type RecordedCall } from '../call-environment.ts';
import type { ChainCore } from '../chain-core.ts';
import type { BlockResolver } from './block-resolver.ts';
import type { ChainCalls } from './calls.ts';
import { type CallMessage, environmentOf, executeMessage, overrideSite, recordedCallAt } from './calls.ts';
import type { BundleSite } from './chain-simulation.ts';
import { type ExecutionRules, environmentUnder, runAgain, siteInside, stateBeforeReplay } from './replay.ts';
import { type CallOverrides, environmentAfterBundle, overrideEnvironment } from './state-overrides.ts';

/** Traces an execution as a tree of frames. */
export class FrameTracer extends CallTree implements Tracer<CallNode> {
  result(): Steps<CallNode> {
    return ready(this.root);
  }
}

export interface TracedTransaction<Trace> {
  readonly transaction: Transaction;
  /** JSON-compatible. */
  readonly trace: Trace;
}

export interface BlockTraceOptions {
  /** Default: all transactions. */
  readonly isWanted?: (transaction: Transaction, index: number) => boolean;
  /** Limits the size of all traces together. Default: the maximum size of a response. */
  readonly budget?: TraceBudget;
  /** Default: no cancellation. */
  readonly checkCancelled?: CancelCheck;
  /** The rules for wanted transactions. All others, and all by default, use the chain's rules. */
  readonly rules?: ExecutionRules | undefined;
}

export interface TracedMessage<Trace> {
  readonly message: CallMessage;
  readonly createTracer: TracerFactory<Trace>;
}

/** Messages that run one after another in one block, each traced. */
export interface TracedBundle<Trace> {
  readonly messages: readonly TracedMessage<Trace>[];
  readonly block: CallOverrides['block'];
}

/** A block with its environment and parent state, so that it can be traced after it left the chain. */
export interface TracedBlock {
  readonly block: Block;
  readonly environment: BlockEnvironment;
  /** The state after its parent. */
  readonly before: WorldState;
}

/** Thrown if a replayed transaction uses other gas than its receipt. The node or its data changed since. */
export class TraceMismatchError extends Error {
  override readonly name = 'TraceMismatchError';
}

/** Replays one transaction of a block and resolves to its trace. */
export type RunTraced = <Trace>(createTracer: TracerFactory<Trace>) => Promise<Trace>;

interface TracedRun {
  readonly block: Block;
  readonly environment: BlockEnvironment;
  readonly index: number;
  /** The state before the transaction. */
  readonly state: Overlay;
  readonly firstLogIndex: number;
  readonly budget: TraceBudget;
  readonly slice: TimeSlice;
  readonly checkCancelled: CancelCheck;
  /** Present if the rules are not the chain's. */
  readonly rules?: ExecutionRules | undefined;
}

/** Throws a `RangeError` for an invalid index. */
function transactionAt({ transactions }: Block, index: number): Transaction {
  const transaction = transactions[index];
  if (transaction === undefined) throw new RangeError(`the block has no transaction ${index}`);
  return transaction;
}

/**
 * Returns a function that counts the logs before a transaction. For canonical blocks it reads the block
 * record, because decoding receipts would create all logs.
 */
function firstLogs({ blockchain }: ChainCore, { header, hash, receipts }: Block): (index: number) => number {
  const kept = blockchain.block(header.number);
  if (kept !== undefined && equalBytes(kept.hash, hash)) {
    const record = blockchain.logs(header.number);
    return (index) => record?.firstLogOf(index) ?? 0;
  }
  return (index) => receipts.slice(0, index).reduce((count, { logs }) => count + logs.length, 0);
}

/**
 * Throws a {@link TraceMismatchError} if the gas used differs from the receipt. On a fork, the difference is no error,
 * because the transaction may have moved onto another block of the forked chain.
 */
function checkGas(
  { fork }: ChainCore,
  { header, receipts }: Block,
  index: number,
  { gasUsed }: ExecutionResult,
): void {
  if (fork.base !== null || gasUsed === receipts[index]?.gasUsed) return;
  throw new TraceMismatchError(
    `transaction ${index} of block ${header.number} used ${gasUsed} gas when run again`,
  );
}

/** Traces mined transactions on their original state, and calls. The chain does not change. */
export class ChainTracing {
  readonly #core: ChainCore;
  readonly #blocks: BlockResolver;
  readonly #calls: ChainCalls;

  constructor(core: ChainCore, blocks: BlockResolver, calls: ChainCalls) {
    this.#core = core;
    this.#blocks = blocks;
    this.#calls = calls;
  }

  /**
   * Returns the block with its environment and parent state. BLOCKHASH reads the canonical chain at execution
   * time. Throws a `BlockNotFoundError` if the block's parent is no longer known.
   */
  hold(block: Block): TracedBlock {
    const environment = environmentOf(block, this.#blocks.ancestors(block), this.#core.ruleSet);
    return { block, environment, before: this.#blocks.stateBelow(block) };
  }

  /**
   * Resolves to the traces of the wanted transactions, in order. All share one budget. Rejects with
   * `BlockNotFoundError` if the block's parent is no longer known, with `TraceTooLargeError` above the
   * budget, and with any error of `checkCancelled`.
   */
  async block<Trace>(
    traced: Block | TracedBlock,
    createTracer: TracerFactory<Trace>,
    {
      isWanted = () => true,
      budget = new TraceBudget(),
      checkCancelled = neverCancelled,
      rules,
    }: BlockTraceOptions = {},
  ): Promise<TracedTransaction<Trace>[]> {
    const block = 'before' in traced ? traced.block : traced;
    const lastWanted = block.transactions.findLastIndex(isWanted);
    if (lastWanted === -1) return [];
    const { environment, before } = 'before' in traced ? traced : this.hold(block);
    const state = await stateBeforeReplay(this.#core, block, environment, before, checkCancelled);
    const traces: TracedTransaction<Trace>[] = [];
    const slice = new TimeSlice(checkCancelled);
    const at = { block, environment, state, budget, slice, checkCancelled, rules };
    const firstLogOf = firstLogs(this.#core, block);
    for (const [index, transaction] of block.transactions.slice(0, lastWanted + 1).entries()) {
      if (isWanted(transaction, index)) {
        const trace = await this.#traced({ index, firstLogIndex: firstLogOf(index), ...at }, createTracer);
        traces.push({ transaction, trace });
      } else {
        const result = await runAgain(this.#core, { environment, state, transaction, checkCancelled });
        checkGas(this.#core, block, index, result);
      }
      // A long trace must not block the event loop.
      await yieldToOthers(checkCancelled);
    }
    return traces;
  }

  /**
   * Calls `visit` for each transaction of a block, in order, with a function that replays it on its original
   * state. `visit` may call it several times. Each transaction is replayed at least once, so a block of n
   * transactions needs n runs, not n². Each run has its own budget and rejects as {@link block} does. A
   * rejection of `visit` ends the walk.
   */
  async eachTransaction(
    { block, environment, before }: TracedBlock,
    visit: (index: number, run: RunTraced) => Promise<void>,
    checkCancelled = neverCancelled,
  ): Promise<void> {
    const slice = new TimeSlice(checkCancelled);
    const at = { block, environment, slice, checkCancelled };
    const begun = await stateBeforeReplay(this.#core, block, environment, before, checkCancelled);
    let reached = begun.toWorldState();
    const firstLogOf = firstLogs(this.#core, block);
    for (const [index, transaction] of block.transactions.entries()) {
      let after: WorldState | null = null;
      await visit(index, async (createTracer) => {
        const state = new Overlay(reached);
        const budget = new TraceBudget();
        const firstLogIndex = firstLogOf(index);
        const trace = await this.#traced({ index, state, firstLogIndex, budget, ...at }, createTracer);
        after = state.toWorldState();
        return trace;
      });
      if (after === null) {
        const state = new Overlay(reached);
        await runAgain(this.#core, { environment, state, transaction, checkCancelled });
        after = state.toWorldState();
      }
      reached = after;
      await yieldToOthers(checkCancelled);
    }
  }

  /** Replays a transaction on `state`, which it changes, and resolves to the trace. */
  async #traced<Trace>(
    { block, index, state, firstLogIndex, budget, slice, checkCancelled, rules, ...run }: TracedRun,
    createTracer: TracerFactory<Trace>,
  ): Promise<Trace> {
    const mined = transactionAt(block, index);
    const transaction = rules?.gasLimit === undefined ? mined : { ...mined, gasLimit: rules.gasLimit };
    const environment =
      rules === undefined ? run.environment : environmentUnder(rules.ruleSet, run.environment);
    const tracer = createTracer({
      message: transaction,
      environment,
      before: state.toWorldState(),
      position: {
        blockHash: block.hash,
        transactionHash: transaction.hash,
        transactionIndex: index,
        firstLogIndex,
      },
      budget,
      impersonatedSigner: this.#core.settings.impersonatedSigner,
    });
    const isCapped = rules !== undefined;
    const again = { environment, state, transaction, observer: tracer, checkCancelled, isCapped };
    const result = await runAgain(rules ?? this.#core, again);
    if (rules === undefined) checkGas(this.#core, block, index, result);
    return runTask(tracer.result(result, state), slice);
  }

  /** Returns the engine for another rule set on this chain. */
  rulesOf(ruleSet: RuleSet): ExecutionRules {
    return this.#core.engines.under(ruleSet, this.#core);
  }

  /**
   * Resolves to the trace of the transaction at this index, optionally under other rules. Rejects with a
   * `RangeError` for an invalid index, and with an `UnexecutableError` if the other rules reject it.
   */
  async transaction<Trace>(
    block: Block | TracedBlock,
    index: number,
    createTracer: TracerFactory<Trace>,
    checkCancelled = neverCancelled,
    rules?: ExecutionRules,
  ): Promise<Trace> {
    const isWanted = (_transaction: Transaction, position: number): boolean => position === index;
    const [traced] = await this.block(block, createTracer, { isWanted, checkCancelled, rules });
    if (traced === undefined) throw new RangeError(`the block has no transaction ${index}`);
    return traced.trace;
  }

  /**
   * Resolves to the message with the state and environment of the block, optionally under other rules.
   * Rejects with `BlockNotFoundError`.
   */
  async holdCall(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides,
    checkCancelled = neverCancelled,
    rules?: ExecutionRules,
  ): Promise<RecordedCall> {
    const own = await this.#calls.overriddenSite(selector, overrides, checkCancelled);
    const site =
      rules === undefined
        ? own
        : { ...own, ...rules, environment: environmentUnder(rules.ruleSet, own.environment) };
    return recordedCallAt(site, message);
  }

  /**
   * Resolves to the trace of a call on the state after the block. If the call fails and its gas was cut, the
   * log reports the cut. Rejects with `BlockNotFoundError` or `CallRejectedError`.
   */
  async call<Trace>(
    message: CallMessage,
    selector: BlockSelector,
    createTracer: TracerFactory<Trace>,
    overrides: CallOverrides,
    checkCancelled = neverCancelled,
  ): Promise<Trace> {
    const held = await this.holdCall(message, selector, overrides, checkCancelled);
    const state = new Overlay(held.site.state);
    const { trace, result } = await this.#tracedCall(held, state, createTracer, new TraceBudget());
    this.#reportCut(held, result);
    return trace;
  }

  /**
   * Resolves to the traces of bundles. Each message sees the changes of earlier ones. All share one budget.
   * Rejects with `BlockNotFoundError`, `TraceTooLargeError`, and any error of `checkCancelled`. Rejects with
   * `CallRejectedError` for a message that breaks a rule before execution.
   */
  async bundles<Trace>(
    bundles: readonly TracedBundle<Trace>[],
    start: BundleSite,
    checkCancelled = neverCancelled,
  ): Promise<Trace[][]> {
    const found = await siteInside(this.#core, this.#blocks, start, checkCancelled);
    const site = await overrideSite(found, { accounts: start.accounts, block: {} });
    const state = new Overlay(site.state);
    const budget = new TraceBudget();
    const traces: Trace[][] = [];
    let next = site.environment;
    for (const { messages, block } of bundles) {
      await yieldToOthers(checkCancelled);
      const environment = overrideEnvironment(next, block);
      next = environmentAfterBundle(environment);
      const ofBundle: Trace[] = [];
      for (const { message, createTracer } of messages) {
        const at = { ...site, environment, state: state.toWorldState() };
        const held = recordedCallAt(at, message);
        const { trace, result } = await this.#tracedCall(held, state, createTracer, budget);
        this.#reportCut(held, result);
        ofBundle.push(trace);
        await yieldToOthers(checkCancelled);
      }
      traces.push(ofBundle);
    }
    return traces;
  }

  /** Replays an earlier call and resolves to its trace. Rejects with `CallRejectedError`. */
  async heldCall<Trace>(
    { site, message }: RecordedCall,
    createTracer: TracerFactory<Trace>,
    checkCancelled = neverCancelled,
  ): Promise<Trace> {
    const held = { site: { ...site, checkCancelled }, message };
    const state = new Overlay(site.state);
    return (await this.#tracedCall(held, state, createTracer, new TraceBudget())).trace;
  }

  /** Logs that a traced call failed after its gas was cut. Trace formats have no field for this. */
  #reportCut({ gasCut }: RecordedCall, result: ExecutionResult): void {
    if (gasCut === undefined || !hasFailed(result)) return;
    this.#core.events.emit('notice', `A traced call failed: ${gasCutText(gasCut)}`);
  }

  /** Executes a call on `state`, which equals the state of its site, and resolves to its trace and result. */
  async #tracedCall<Trace>(
    { site, message }: RecordedCall,
    state: Overlay,
    createTracer: TracerFactory<Trace>,
    budget: TraceBudget,
  ): Promise<{ readonly trace: Trace; readonly result: ExecutionResult }> {
    const tracer = createTracer({
      message,
      environment: site.environment,
      before: site.state,
      position: null,
      budget,
      impersonatedSigner: this.#core.settings.impersonatedSigner,
    });
    const result = await executeMessage(site, message, state, tracer);
    const trace = await runTask(tracer.result(result, state), new TimeSlice(site.checkCancelled));
    return { trace, result };
  }
}
