/** A debugger that is attached to a node: checks recorded executions for its breakpoints in the background. */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import { type ExecutionResult, hasFailed, type Message } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import { type CancelCheck, nextIteration } from '../scheduling/cancel-check.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { SourceLine } from './breakpoint-set.ts';
import type { InspectedExecution, Run } from './executions.ts';
import { callSize, MAX_CALL_SIZE } from './recent-failures.ts';
import type {
  Hit,
  HitViewer,
  RecordedChain,
  Recorder,
  Recording,
  Recordings,
  WantedStops,
} from './recordings.ts';

/** The executions that a debugger records, and how it gets the hits. */
export interface AttachOptions extends HitViewer, WantedStops {
  readonly onHit: (hit: Hit) => void;
}

/** One hit is open in the debugger, and 50 wait. */
const MAX_HITS = 51;

/** Maximum executions that wait to be checked, and bytes of their calls. */
const MAX_WAITING = 1_000;
const MAX_WAITING_SIZE = 16 * 1024 * 1024;

/** True for a message to an account without code: a plain transfer. Creations and delegated accounts run code. */
function runsNoCode(execution: InspectedExecution): boolean {
  if ('call' in execution) return hasNoCode(execution.call.message, execution.call.site.state);
  const { block, index } = execution;
  // An earlier transaction of the block can have created the code.
  if (index > 0 || !('before' in block)) return false;
  const [first] = block.block.transactions;
  return first !== undefined && hasNoCode(first, block.before);
}

function hasNoCode(
  { to, authorizationList }: Pick<Message, 'to' | 'authorizationList'>,
  state: WorldState,
): boolean {
  return to !== null && authorizationList.length === 0 && (state.account(to)?.code.bytes.length ?? 0) === 0;
}

/** Returns the bytes of a call; 0 for a transaction, because the chain has it. */
function sizeOf({ execution }: Recording): number {
  return 'call' in execution ? callSize(execution.call) : 0;
}

class DetachedError extends Error {
  override readonly name = 'DetachedError';
}

/**
 * Records from its construction until {@link end}. The owner is the API key of the debugger: requests with other
 * keys are not recorded. The constructor throws a `TooManyDebuggersError`.
 */
export class Attachment implements Recorder {
  readonly #recordings: Recordings;
  #options: AttachOptions;
  /** By number. */
  readonly #hits = new Map<number, Hit>();
  #waiting: Recording[] = [];
  #waitingSize = 0;
  #isChecking = false;
  #isEnded = false;
  #omitted = 0;

  constructor(recordings: Recordings, options: AttachOptions) {
    this.#recordings = recordings;
    this.#options = options;
    recordings.add(this);
  }

  get viewer(): HitViewer {
    return this.#options;
  }

  readonly #checkCancelled: CancelCheck = () => {
    if (this.#isEnded) throw new DetachedError();
  };

  /** Replaces the breakpoints. Executions that wait are checked with the new ones. Hits stay. */
  update({ breakpoints, failures }: WantedStops): void {
    this.#options = { ...this.#options, breakpoints, failures };
  }

  /** Removes a hit, so that another one can be kept. Returns false if there is no such hit. */
  release(number: number): boolean {
    return this.#hits.delete(number);
  }

  end(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#hits.clear();
    this.#recordings.remove(this);
  }

  /** Returns the hit; `undefined` if it is unknown, or if a client on `chain` with the key may not read it. */
  find(number: number, viewer: HitViewer): Hit | undefined {
    const { chain, owner } = this.#options;
    const isVisible = owner === viewer.owner && (viewer.chain === null || viewer.chain === chain);
    return isVisible ? this.#hits.get(number) : undefined;
  }

  onCall(on: RecordedChain, call: RecordedCall, result: ExecutionResult, token: CallToken | null): void {
    if (!this.#isFor(on.chain, token)) return;
    this.#add({
      on,
      execution: { call },
      method: token?.method ?? null,
      transactionHash: null,
      blockNumber: call.site.environment.number,
      failed: hasFailed(result),
    });
  }

  onBlock(
    on: RecordedChain,
    block: Block,
    results: readonly ExecutionResult[],
    token: CallToken | null,
  ): void {
    if (!this.#isFor(on.chain, token)) return;
    const held: TracedBlock = on.chain.tracing.hold(block);
    for (const [index, result] of results.entries()) {
      const transactionHash = block.transactions[index]?.hash;
      if (transactionHash === undefined) continue;
      this.#add({
        on,
        execution: { block: held, index },
        method: token?.method ?? null,
        transactionHash,
        blockNumber: block.header.number,
        failed: hasFailed(result),
      });
    }
  }

  /** True if the debugger records this request. */
  #isFor(chain: Chain, call: CallToken | null): boolean {
    const { chain: own, owner } = this.#options;
    return (own === null || own === chain) && (call?.owner === undefined || call.owner === owner);
  }

  #add(recording: Recording): void {
    const { breakpoints, failures } = this.#options;
    if (breakpoints.isEmpty && !(failures && recording.failed)) return;
    const size = sizeOf(recording);
    const isFull =
      this.#hits.size >= MAX_HITS ||
      this.#waiting.length >= MAX_WAITING ||
      this.#waitingSize + size > MAX_WAITING_SIZE;
    if (isFull || size > MAX_CALL_SIZE) {
      this.#omitted++;
      return;
    }
    this.#waiting.push(recording);
    this.#waitingSize += size;
    if (!this.#isChecking) void this.#check();
  }

  /** Checks the waiting executions in their order. */
  async #check(): Promise<void> {
    this.#isChecking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#waitingSize -= sizeOf(next);
      await nextIteration();
      const { execution } = next;
      const of = 'block' in execution && 'before' in execution.block ? execution.block : null;
      const others = of === null ? [] : this.#takeOthers(of);
      if (of === null || others.length === 0) await this.#checkOne(next);
      else await this.#checkBlock(of, [next, ...others]);
    }
    this.#isChecking = false;
  }

  /** Removes the waiting transactions of a block. They wait one after another. */
  #takeOthers(block: TracedBlock): Recording[] {
    const isOther = ({ execution }: Recording): boolean => 'block' in execution && execution.block === block;
    const end = this.#waiting.findIndex((each) => !isOther(each));
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  /** Checks transactions of one block. Each transaction runs once to reach the next one. */
  async #checkBlock(block: TracedBlock, recordings: readonly Recording[]): Promise<void> {
    const unchecked = new Map<number, Recording>();
    for (const each of recordings) if ('index' in each.execution) unchecked.set(each.execution.index, each);
    const [first] = recordings;
    try {
      await first?.on.chain.tracing.eachTransaction(
        block,
        async (index, run) => {
          const recording = unchecked.get(index);
          unchecked.delete(index);
          if (recording !== undefined) await this.#checkOne(recording, run);
        },
        this.#checkCancelled,
      );
    } catch (error) {
      // The walk cannot continue after a transaction with another result.
      if (first !== undefined) this.#reportUnchecked(first.on, unchecked.size, error);
    }
  }

  /** `run` is absent if the execution runs on its own. */
  async #checkOne(recording: Recording, run?: Run): Promise<void> {
    if (this.#hits.size >= MAX_HITS) {
      this.#omitted++;
      return;
    }
    try {
      const breakpoint = await this.#firstBreakpoint(recording, run);
      const isHit = breakpoint !== null || (this.#options.failures && recording.failed);
      if (!isHit || this.#isEnded) return;
      const hit = { ...recording, number: this.#recordings.nextNumber(), breakpoint, omitted: this.#omitted };
      this.#omitted = 0;
      this.#hits.set(hit.number, hit);
      this.#options.onHit(hit);
    } catch (error) {
      this.#reportUnchecked(recording.on, 1, error);
    }
  }

  #reportUnchecked({ chain }: RecordedChain, count: number, error: unknown): void {
    if (this.#isEnded || count === 0) return;
    this.#omitted += count;
    const reason = error instanceof Error ? error.message : String(error);
    chain.events.emit(
      'notice',
      `The debugger did not check ${count === 1 ? 'an execution' : `${count} executions`} for breakpoints: ${reason}`,
    );
  }

  async #firstBreakpoint({ on, execution }: Recording, run?: Run): Promise<SourceLine | null> {
    const { breakpoints, owner } = this.#options;
    if (breakpoints.isEmpty || (await fetchingState(() => runsNoCode(execution)))) return null;
    const inspector = await on.ownedBy(owner).inspector.ready();
    return inspector.debugger.firstBreakpoint(execution, breakpoints, this.#checkCancelled, run);
  }
}
