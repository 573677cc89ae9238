import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Log } from '../../rules/receipt.ts';
import type { ExecutionResult } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import { type CallNode, CallTree, type FrameLog } from './call-tree.ts';
import { gethError } from './error-words.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

/** What a call tracer is to show. */
export interface CallTracerOptions {
  /** Leave out the calls inside the outermost. */
  readonly onlyTopCall: boolean;
  /** Show the logs that stayed. */
  readonly withLog: boolean;
  /** The text that the data of a revert hold; `null` when they hold none. */
  readonly describeRevert: (data: Uint8Array) => string | null;
}

/** The frames of an execution as a tree of objects (geth's callTracer). */
export class CallTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #options: CallTracerOptions;
  readonly #tree: CallTree;

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

  /** The outermost frame shows the gas limit of the message and all gas charged, the intrinsic cost included. */
  result(execution: ExecutionResult): unknown {
    const { root } = this.#tree;
    const logIndexes = this.#options.withLog ? this.#logIndexes(root) : new Map<FrameLog, number>();
    const { gasLimit } = this.#subject.message;
    return this.#view(root, logIndexes, { gas: gasLimit, gasUsed: execution.gasUsed });
  }

  /** The logs that stayed, each with its index in the block. */
  #logIndexes(root: CallNode): ReadonlyMap<FrameLog, number> {
    const stayed = logsThatStay(root).sort((left, right) => left.sequence - right.sequence);
    const first = this.#subject.position?.firstLogIndex ?? 0;
    return new Map(stayed.map((log, index) => [log, first + index]));
  }

  #view(
    { start, end, calls, logs }: CallNode,
    logIndexes: ReadonlyMap<FrameLog, number>,
    { gas, gasUsed }: { readonly gas: bigint; readonly gasUsed: bigint },
  ): Readonly<Record<string, unknown>> {
    const error = gethError(end);
    const failedCreation = error !== null && start.kind.startsWith('CREATE');
    const reason = end.outcome === 'revert' ? this.#options.describeRevert(end.output) : null;
    const views = logs.flatMap((log) => {
      const index = logIndexes.get(log);
      return index === undefined ? [] : [logView(log, index)];
    });
    return {
      from: toHex(start.from),
      gas: toQuantity(gas),
      gasUsed: toQuantity(gasUsed),
      ...(failedCreation ? {} : { to: toHex(start.to) }),
      input: toHex(start.input),
      ...(end.output.length === 0 ? {} : { output: toHex(end.output) }),
      ...(error === null ? {} : { error }),
      ...(reason === null ? {} : { revertReason: reason }),
      ...(calls.length === 0
        ? {}
        : {
            calls: calls.map((call) =>
              this.#view(call, logIndexes, { gas: call.start.gas, gasUsed: call.end.gasUsed }),
            ),
          }),
      ...(views.length === 0 ? {} : { logs: views }),
      ...(start.value === null ? {} : { value: toQuantity(start.value) }),
      type: start.kind,
    };
  }
}

function logsThatStay({ end, calls, logs }: CallNode): FrameLog[] {
  return end.outcome === 'success' ? [...logs, ...calls.flatMap(logsThatStay)] : [];
}

function logView({ log, position }: FrameLog, index: number): Readonly<Record<string, unknown>> {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    index: toQuantity(index),
    position: toQuantity(position),
  };
}
