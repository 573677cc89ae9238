// Call tracers: a tree of calls, and counts of selectors.

import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, ready, type Steps } from '../../primitives/steps.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import { type CallNode, CallTree, type FrameLog, lastingNodes, nodeSize } from './call-tree.ts';
import { gethError } from './error-messages.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

export interface CallTracerOptions {
  /** Omits nested calls. */
  readonly onlyTopCall: boolean;
  /** Includes the logs that were not reverted. */
  readonly withLog: boolean;
  /** Returns the revert message; `null` if there is none. */
  readonly describeRevert: (data: Uint8Array) => string | null;
  /** Returns additional fields of a frame. `order` is the index of the frame in execution order. */
  readonly extra?: (order: number) => Readonly<Record<string, unknown>>;
}

/** The frames of an execution as a tree of objects (geth's callTracer). */
export class CallTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #options: CallTracerOptions;
  readonly #tree: CallTree;
  /** The number of frames formatted so far. */
  #shown = 0;

  constructor(subject: TraceSubject, options: CallTracerOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#tree = new CallTree(subject.budget, options.onlyTopCall);
  }

  frameStart(start: FrameStart): void {
    this.#tree.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#tree.frameEnd(end);
  }

  log(log: Log): void {
    this.#tree.log(log);
  }

  /**
   * Returns the trace. The outermost frame reports the gas limit of the message and the total gas used,
   * including the intrinsic gas.
   */
  result(execution: ExecutionResult, _after: Overlay): Steps<unknown> {
    const { gasLimit } = this.#subject.message;
    return this.#rootView({ gas: gasLimit, gasUsed: execution.gasUsed });
  }

  *#rootView(charged: Charged): Steps<unknown> {
    const { root } = this.#tree;
    const logIndexes = this.#options.withLog ? yield* this.#logIndexes(root) : NO_LOGS;
    return yield* this.#view(root, logIndexes, charged);
  }

  /** Returns the block index of each log by sequence number; {@link NOT_SHOWN} for reverted logs. */
  *#logIndexes(root: CallNode): Steps<LogIndexes> {
    const indexes = new Int32Array(this.#tree.logCount).fill(NOT_SHOWN);
    for (const { logs } of lastingNodes(root)) {
      for (const { sequence } of logs) indexes[sequence] = 0;
      yield LOG_WORK + logs.length;
    }
    let next = this.#subject.position?.firstLogIndex ?? 0;
    for (let sequence = 0; sequence < indexes.length; sequence++) {
      if (indexes[sequence] !== NOT_SHOWN) indexes[sequence] = next++;
    }
    return indexes;
  }

  *#view(
    node: CallNode,
    logIndexes: LogIndexes,
    { gas, gasUsed }: Charged,
  ): Steps<Readonly<Record<string, unknown>>> {
    const { start, end, calls, logs } = node;
    yield nodeSize(node);
    // Frames are formatted in execution order.
    const extra = this.#options.extra?.(this.#shown++) ?? {};
    const error = gethError(end);
    const failedCreation = error !== null && start.kind.startsWith('CREATE');
    const reason = end.outcome === 'revert' ? this.#options.describeRevert(end.output) : null;
    const views: unknown[] = [];
    for (const log of logs) {
      const index = logIndexes[log.sequence] ?? NOT_SHOWN;
      if (index === NOT_SHOWN) continue;
      views.push(yield* logView(log, index));
      yield LOG_WORK + 2 * log.log.data.length;
    }
    const inner: unknown[] = [];
    for (const call of calls) {
      const charged = { gas: call.start.gas, gasUsed: call.end.gasUsed };
      inner.push(yield* this.#view(call, logIndexes, charged));
    }
    return {
      from: toHex(start.from),
      gas: toQuantity(gas),
      gasUsed: toQuantity(gasUsed),
      ...(failedCreation ? {} : { to: toHex(start.to) }),
      input: yield* hexInSteps(start.input),
      ...(end.output.length === 0 ? {} : { output: yield* hexInSteps(end.output) }),
      ...(error === null ? {} : { error }),
      ...(reason === null ? {} : { revertReason: reason }),
      ...(inner.length === 0 ? {} : { calls: inner }),
      ...(views.length === 0 ? {} : { logs: views }),
      ...(start.value === null ? {} : { value: toQuantity(start.value) }),
      type: start.kind,
      ...extra,
    };
  }
}

/** Indexes of logs in their block, by {@link FrameLog.sequence}. */
type LogIndexes = Readonly<ArrayLike<number>>;

/** Marks a reverted log. */
const NOT_SHOWN = -1;

const NO_LOGS: LogIndexes = [];

interface Charged {
  readonly gas: bigint;
  readonly gasUsed: bigint;
}

/** Work units of a log without its data, and of a frame whose logs are counted. */
const LOG_WORK = 32;

function* logView({ log, position }: FrameLog, index: number): Steps<Readonly<Record<string, unknown>>> {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: yield* hexInSteps(log.data),
    index: toQuantity(index),
    position: toQuantity(position),
  };
}

const SELECTOR_SIZE = 4;

/**
 * Counts function selectors with the size of their arguments in bytes (geth's 4byteTracer):
 * `{"0xa9059cbb-64": 2}`. Creations and calls of precompiles are not counted.
 */
export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>();

  frameStart({ kind, input, isPrecompile }: FrameStart): void {
    const isCall = kind.endsWith('CALL') || kind === 'CALLCODE';
    if (!isCall || isPrecompile || input.length < SELECTOR_SIZE) return;
    const key = `${toHex(input.subarray(0, SELECTOR_SIZE))}-${input.length - SELECTOR_SIZE}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  result(): Steps<unknown> {
    return ready(Object.fromEntries(this.#counts));
  }
}
