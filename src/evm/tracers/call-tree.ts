// The call tree that several tracers use.

import { copyBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { ExecutionObserver, FrameEnd, FrameStart } from '../observer.ts';
import type { TraceBudget } from './tracer.ts';
import { EmptyCallTreeError } from './tracer.ts';

export interface FrameLog {
  readonly log: Log;
  /** The number of calls that the frame made before the log. */
  readonly position: number;
  /** The number of logs emitted before in the whole execution, including reverted logs. */
  readonly sequence: number;
}

export interface CallNode {
  readonly start: FrameStart;
  readonly end: FrameEnd;
  readonly calls: readonly CallNode[];
  readonly logs: readonly FrameLog[];
}

interface OpenNode extends CallNode {
  end: FrameEnd;
  readonly calls: CallNode[];
  readonly logs: FrameLog[];
}

/** The end of a frame that is still open. */
const UNFINISHED: FrameEnd = { outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n };

/** Characters of JSON for a frame without its input and output, and for a log without its data. */
const FRAME_SIZE = 400;

/** Yields the frame and all nested frames in execution order. */
export function* nodesOf(root: CallNode): Generator<CallNode, void, undefined> {
  yield* nodesWhere(root, () => true);
}

/** Yields the frame and its nested frames that were not reverted, in execution order. */
export function* lastingNodes(root: CallNode): Generator<CallNode, void, undefined> {
  yield* nodesWhere(root, ({ end }) => end.outcome === 'success');
}

/**
 * Yields the wanted frames. An unwanted frame is omitted with its nested frames. Uses a stack, because call
 * chains may be too deep for nested generators.
 */
function* nodesWhere(
  root: CallNode,
  isWanted: (node: CallNode) => boolean,
): Generator<CallNode, void, undefined> {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (!isWanted(node)) continue;
    yield node;
    for (let index = node.calls.length - 1; index >= 0; index--) {
      const call = node.calls[index];
      if (call !== undefined) left.push(call);
    }
  }
}

/** Returns the approximate number of characters of JSON for a frame, without nested calls. */
export function nodeSize({ start, end, logs }: CallNode): number {
  const size = FRAME_SIZE + 2 * (start.input.length + end.output.length);
  return logs.reduce((sum, { log }) => sum + FRAME_SIZE + 2 * log.data.length, size);
}

/** Records the frames of an execution as a tree. Throws `TraceTooLargeError` beyond the budget. */
export class CallTree implements ExecutionObserver {
  readonly #onlyTop: boolean;
  readonly #open: OpenNode[] = [];
  readonly #budget: TraceBudget;
  #root: OpenNode | undefined;
  #depth = 0;
  #logCount = 0;

  /** `onlyTop` omits nested frames and their logs. */
  constructor(budget: TraceBudget, onlyTop = false) {
    this.#budget = budget;
    this.#onlyTop = onlyTop;
  }

  /** The outermost frame. Throws {@link EmptyCallTreeError} if no frame was observed. */
  get root(): CallNode {
    if (this.#root === undefined) throw new EmptyCallTreeError('no frame was observed');
    return this.#root;
  }

  /** The number of logs emitted by the execution, including reverted logs. */
  get logCount(): number {
    return this.#logCount;
  }

  frameStart(start: FrameStart): void {
    if (this.#onlyTop && this.#depth++ > 0) return;
    this.#budget.spend(FRAME_SIZE + 2 * start.input.length);
    const node: OpenNode = {
      start: { ...start, input: copyBytes(start.input) },
      end: UNFINISHED,
      calls: [],
      logs: [],
    };
    this.#root ??= node;
    this.#open.at(-1)?.calls.push(node);
    this.#open.push(node);
  }

  frameEnd(end: FrameEnd): void {
    if (this.#onlyTop && --this.#depth > 0) return;
    this.#budget.spend(2 * end.output.length);
    const node = this.#open.pop();
    if (node !== undefined) node.end = { ...end, output: copyBytes(end.output) };
  }

  log(log: Log): void {
    const sequence = this.#logCount++;
    if (this.#onlyTop && this.#depth > 1) return;
    this.#budget.spend(FRAME_SIZE + 2 * log.data.length);
    const node = this.#open.at(-1);
    node?.logs.push({ log, position: node.calls.length, sequence });
  }
}
