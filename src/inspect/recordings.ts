/**
 * Records the executions of requests while a debugger is attached, and reports each execution that reaches a
 * breakpoint. They run again in the background, so requests never wait for a debugger.
 */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import { type ExecutionResult, hasFailed, type Message } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import { type CancelCheck, nextIteration } from '../scheduling/cancel-check.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BreakpointSet, SourceLine } from './breakpoint-set.ts';
import { RecordingNotFoundError } from './errors.ts';
import type { InspectedExecution } from './executions.ts';
import type { LazyInspector } from './lazy-inspector.ts';
import { callSize, MAX_CALL_SIZE } from './recent-failures.ts';

/** A chain whose executions are recorded: the base chain or a lane. */
export interface RecordedChain {
  readonly chain: Chain;
  /** The name of the lane in reports; `null` for the base chain. */
  readonly lane: string | null;
  /** Returns the chain with the names and contracts of an API key. */
  ownedBy(key: string | undefined): { readonly inspector: LazyInspector };
}

/** An execution that can run again. */
interface Recording {
  readonly on: RecordedChain;
  readonly execution: InspectedExecution;
  /** The RPC method of the request; `null` for work of the chain itself. */
  readonly method: string | null;
  /** 32 bytes; `null` for a call. */
  readonly transactionHash: Uint8Array | null;
  /** The block of a transaction, or the block that a call sees. */
  readonly blockNumber: number;
  readonly failed: boolean;
}

/** A recorded execution that a debugger stops in. */
export interface Hit extends Recording {
  /** From 1, unique among all debuggers of the node. */
  readonly number: number;
  /** The first breakpoint that it reached; `null` for a failure that was not checked for breakpoints. */
  readonly breakpoint: SourceLine | null;
  /** The number of executions since the last hit that were not checked. */
  readonly omitted: number;
}

/** The executions that a debugger records, and how it gets the hits. */
export interface AttachOptions {
  /** `null` for the base chain and all lanes. */
  readonly chain: Chain | null;
  /** The API key of the debugger; requests with other keys are not recorded. */
  readonly owner: string | undefined;
  readonly breakpoints: BreakpointSet;
  /** True to report every failed execution. */
  readonly failures: boolean;
  readonly onHit: (hit: Hit) => void;
}

/** One hit is open in the debugger, and 50 wait. */
const MAX_HITS = 51;

/** Maximum executions that wait to be checked. */
const MAX_WAITING = 1_000;

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

class DetachedError extends Error {
  override readonly name = 'DetachedError';
}

/** A debugger that is attached to a node. */
export class Attachment {
  readonly #recordings: Recordings;
  #options: AttachOptions;
  /** By number. */
  readonly #hits = new Map<number, Hit>();
  #waiting: Recording[] = [];
  #isChecking = false;
  #isEnded = false;
  #omitted = 0;

  constructor(recordings: Recordings, options: AttachOptions) {
    this.#recordings = recordings;
    this.#options = options;
  }

  readonly #checkCancelled: CancelCheck = () => {
    if (this.#isEnded) throw new DetachedError();
  };

  /** Replaces the breakpoints. Executions that wait are checked with the new ones. Hits stay. */
  update({ breakpoints, failures }: Pick<AttachOptions, 'breakpoints' | 'failures'>): void {
    this.#options = { ...this.#options, breakpoints, failures };
  }

  /** Removes a hit, so that another one can be kept. Returns false if there is no such hit. */
  release(number: number): boolean {
    return this.#hits.delete(number);
  }

  end(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.#hits.clear();
    this.#recordings.remove(this);
  }

  /** Returns the hit; `undefined` if it is unknown, or if a client on `chain` with the key may not read it. */
  find(number: number, viewer: Pick<AttachOptions, 'chain' | 'owner'>): Hit | undefined {
    const { chain, owner } = this.#options;
    const isVisible = owner === viewer.owner && (viewer.chain === null || viewer.chain === chain);
    return isVisible ? this.#hits.get(number) : undefined;
  }

  /** True if the debugger records this request. */
  isFor(chain: Chain, call: CallToken | null): boolean {
    const { chain: own, owner } = this.#options;
    return (own === null || own === chain) && (call?.owner === undefined || call.owner === owner);
  }

  add(recording: Recording): void {
    const { breakpoints, failures } = this.#options;
    if (breakpoints.isEmpty && !(failures && recording.failed)) return;
    const isFull = this.#hits.size >= MAX_HITS || this.#waiting.length >= MAX_WAITING;
    const isLarge = 'call' in recording.execution && callSize(recording.execution.call) > MAX_CALL_SIZE;
    if (isFull || isLarge) {
      this.#omitted++;
      return;
    }
    this.#waiting.push(recording);
    if (!this.#isChecking) void this.#check();
  }

  /** Checks the waiting executions in their order. */
  async #check(): Promise<void> {
    this.#isChecking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await nextIteration();
      await this.#checkOne(next);
    }
    this.#isChecking = false;
  }

  async #checkOne(recording: Recording): Promise<void> {
    if (this.#hits.size >= MAX_HITS) {
      this.#omitted++;
      return;
    }
    try {
      const breakpoint = await this.#firstBreakpoint(recording);
      const isHit = breakpoint !== null || (this.#options.failures && recording.failed);
      if (!isHit || this.#isEnded) return;
      const hit = { ...recording, number: this.#recordings.nextNumber(), breakpoint, omitted: this.#omitted };
      this.#omitted = 0;
      this.#hits.set(hit.number, hit);
      this.#options.onHit(hit);
    } catch (error) {
      if (this.#isEnded) return;
      this.#omitted++;
      const reason = error instanceof Error ? error.message : String(error);
      const { chain } = recording.on;
      chain.events.emit('notice', `The debugger did not check an execution for breakpoints: ${reason}`);
    }
  }

  async #firstBreakpoint({ on, execution }: Recording): Promise<SourceLine | null> {
    const { breakpoints, owner } = this.#options;
    if (breakpoints.isEmpty || (await fetchingState(() => runsNoCode(execution)))) return null;
    const inspector = await on.ownedBy(owner).inspector.ready();
    return inspector.firstBreakpoint(execution, breakpoints, this.#checkCancelled);
  }
}

/** The attached debuggers of a node. Shared by the base chain and its lanes. */
export class Recordings {
  readonly #attachments = new Set<Attachment>();
  #count = 0;

  /** Records the executions on a chain from now on, while a debugger is attached. */
  follow(on: RecordedChain): void {
    const { events } = on.chain;
    events.on('executedCall', (call, result, token) => {
      if (this.#attachments.size > 0) this.#addCall(on, call, result, token);
    });
    events.on('block', (block, results, token) => {
      // Loaded blocks were not executed here.
      if (this.#attachments.size > 0 && results !== null && results.length > 0)
        this.#addBlock(on, block, results, token);
    });
  }

  attach(options: AttachOptions): Attachment {
    const attachment = new Attachment(this, options);
    this.#attachments.add(attachment);
    return attachment;
  }

  /** Returns the number of the next hit. */
  nextNumber(): number {
    return ++this.#count;
  }

  remove(attachment: Attachment): void {
    this.#attachments.delete(attachment);
  }

  /**
   * Returns the hit with this number, for a client on `chain` (`null` for a client that may read all lanes) with
   * the API key. Throws a {@link RecordingNotFoundError}.
   */
  find(number: number, viewer: Pick<AttachOptions, 'chain' | 'owner'>): Hit {
    for (const attachment of this.#attachments) {
      const hit = attachment.find(number, viewer);
      if (hit !== undefined) return hit;
    }
    throw new RecordingNotFoundError(number);
  }

  #attachmentsFor(chain: Chain, token: CallToken | null): Attachment[] {
    return [...this.#attachments].filter((attachment) => attachment.isFor(chain, token));
  }

  #addCall(on: RecordedChain, call: RecordedCall, result: ExecutionResult, token: CallToken | null): void {
    for (const attachment of this.#attachmentsFor(on.chain, token))
      attachment.add({
        on,
        execution: { call },
        method: token?.method ?? null,
        transactionHash: null,
        blockNumber: call.site.environment.number,
        failed: hasFailed(result),
      });
  }

  #addBlock(
    on: RecordedChain,
    block: Block,
    results: readonly ExecutionResult[],
    token: CallToken | null,
  ): void {
    const attachments = this.#attachmentsFor(on.chain, token);
    if (attachments.length === 0) return;
    const held: TracedBlock = on.chain.tracing.hold(block);
    for (const [index, result] of results.entries()) {
      const transactionHash = block.transactions[index]?.hash;
      if (transactionHash === undefined) continue;
      for (const attachment of attachments)
        attachment.add({
          on,
          execution: { block: held, index },
          method: token?.method ?? null,
          transactionHash,
          blockNumber: block.header.number,
          failed: hasFailed(result),
        });
    }
  }
}
