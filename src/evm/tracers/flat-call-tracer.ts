// Calls as a flat list in Parity's format.

import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import { type CallNode, CallTree, nodeSize } from './call-tree.ts';
import { gethError, parityError } from './error-messages.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

/** A frame in the flat list. A frame follows its enclosing frame. */
export interface FlatFrame {
  readonly node: CallNode;
  /** The path of child indexes from the outermost frame to this frame; empty for the outermost frame. */
  readonly traceAddress: readonly number[];
  /** The number of direct subframes. */
  readonly subtraces: number;
}

/** Returns true for a call of a precompile that sent no coins. */
function isPlainPrecompileCall({ start, calls }: CallNode): boolean {
  return start.isPrecompile && calls.length === 0 && (start.kind === 'CALL' || start.kind === 'STATICCALL');
}

/** Yields the frames in execution order, with calls of precompiles if `includePrecompiles`. */
function* flatFrames(root: CallNode, includePrecompiles: boolean): Generator<FlatFrame, void, undefined> {
  const listed = ({ calls }: CallNode): readonly CallNode[] =>
    includePrecompiles ? calls : calls.filter((call) => !isPlainPrecompileCall(call));
  const calls = listed(root);
  yield { node: root, traceAddress: [], subtraces: calls.length };
  // The path of open frames: their calls, and the number of calls already listed.
  const open = [{ calls, count: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const node = top.calls[top.count];
    if (node === undefined) {
      open.pop();
      continue;
    }
    top.count++;
    const traceAddress = open.map(({ count }) => count - 1);
    const inner = listed(node);
    yield { node, traceAddress, subtraces: inner.length };
    if (inner.length > 0) open.push({ calls: inner, count: 0 });
  }
}

/** Characters of JSON for one index of a trace address. */
const INDEX_SIZE = 2;

/**
 * Returns the views of all frames of a tree in one list. Omits nested calls of precompiles unless
 * `includePrecompiles` is set. Throws `TraceTooLargeError` if the trace addresses exceed the budget.
 */
export function* flatViews<View>(
  root: CallNode,
  includePrecompiles: boolean,
  { budget }: Pick<TraceSubject, 'budget'>,
  view: (frame: FlatFrame) => Steps<View>,
): Steps<View[]> {
  const views: View[] = [];
  for (const frame of flatFrames(root, includePrecompiles)) {
    const addressSize = INDEX_SIZE * frame.traceAddress.length;
    budget.spend(addressSize);
    views.push(yield* view(frame));
    yield nodeSize(frame.node) + addressSize;
  }
  return views;
}

/** Returns the type of a frame in Parity's format. */
export function flatType(start: FrameStart): 'call' | 'create' | 'suicide' {
  if (start.kind === 'SELFDESTRUCT') return 'suicide';
  return start.kind.startsWith('CREATE') ? 'create' : 'call';
}

/** Returns the action of a frame in Parity's format. */
export function* flatAction(start: FrameStart, gas: bigint): Steps<Readonly<Record<string, unknown>>> {
  const value = toQuantity(start.value ?? 0n);
  switch (flatType(start)) {
    case 'suicide':
      return { address: toHex(start.from), balance: value, refundAddress: toHex(start.to) };
    case 'create':
      return {
        ...(start.depth === 0 ? {} : { creationMethod: start.kind.toLowerCase() }),
        from: toHex(start.from),
        gas: toQuantity(gas),
        init: yield* hexInSteps(start.input),
        value,
      };
    case 'call':
      return {
        callType: start.kind.toLowerCase(),
        from: toHex(start.from),
        gas: toQuantity(gas),
        input: yield* hexInSteps(start.input),
        to: toHex(start.to),
        value,
      };
  }
}

/** Returns the result of a frame in Parity's format; `null` for a selfdestruct. */
export function* flatResult(
  { start, end }: CallNode,
  gasUsed: bigint,
): Steps<Readonly<Record<string, unknown>> | null> {
  switch (flatType(start)) {
    case 'suicide':
      return null;
    case 'create':
      return {
        ...(end.outcome === 'success' ? { address: toHex(start.to) } : {}),
        code: yield* hexInSteps(end.output),
        gasUsed: toQuantity(gasUsed),
      };
    case 'call':
      return { gasUsed: toQuantity(gasUsed), output: yield* hexInSteps(end.output) };
  }
}

/** Returns the position fields of a trace. The hashes are `null` for a call outside a block. */
export function flatPosition({ environment, position }: TraceSubject): Readonly<Record<string, unknown>> {
  return {
    blockHash: position === null ? null : toHex(position.blockHash),
    blockNumber: environment.number,
    transactionHash: position === null ? null : toHex(position.transactionHash),
    transactionPosition: position?.transactionIndex ?? 0,
  };
}

export interface FlatCallTracerOptions {
  /** Reports errors with Parity's messages. */
  readonly convertParityErrors: boolean;
  /** Includes the calls of precompiles. */
  readonly includePrecompiles: boolean;
}

/**
 * The frames of an execution as a flat list (geth's flatCallTracer). As in geth, the outermost frame reports
 * the gas limit of the message and the total gas used. A reverted frame keeps its result.
 */
export class FlatCallTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #options: FlatCallTracerOptions;
  readonly #tree: CallTree;

  constructor(subject: TraceSubject, options: FlatCallTracerOptions) {
    this.#subject = subject;
    this.#tree = new CallTree(subject.budget);
    this.#options = options;
  }

  frameStart(start: FrameStart): void {
    this.#tree.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#tree.frameEnd(end);
  }

  result(execution: ExecutionResult, _after: Overlay): Steps<unknown> {
    const { convertParityErrors, includePrecompiles } = this.#options;
    const position = flatPosition(this.#subject);
    const { gasLimit } = this.#subject.message;
    const view = function* ({ node, traceAddress, subtraces }: FlatFrame): Steps<unknown> {
      const { start, end } = node;
      const isOutermost = start.depth === 0;
      const error = convertParityErrors ? parityError(end) : gethError(end);
      const result =
        end.outcome === 'halt'
          ? null
          : yield* flatResult(node, isOutermost ? execution.gasUsed : end.gasUsed);
      return {
        action: yield* flatAction(start, isOutermost ? gasLimit : start.gas),
        ...position,
        ...(error === null ? {} : { error }),
        ...(result === null ? {} : { result }),
        subtraces,
        traceAddress,
        type: flatType(start),
      };
    };
    return flatViews(this.#tree.root, includePrecompiles, this.#subject, view);
  }
}
