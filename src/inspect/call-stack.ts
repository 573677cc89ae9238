/** Records the Solidity call stack at one step of an execution: external calls and internal functions. */

import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameKind, FrameStart } from '../evm/observer.ts';
import type { Tracer, TraceSubject } from '../evm/tracers/tracer.ts';
import type { Steps } from '../primitives/steps.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { Overlay } from '../state/overlay.ts';
import { type InternalCall, PLACE } from './bytecode-features.ts';
import { StepOutOfRangeError } from './errors.ts';
import { ExecutionRecorder, type RecordedFrame } from './execution-recorder.ts';
import type { ContractsOfFrames, KnownContract } from './known-contracts.ts';
import type { SourceIndex } from './source-index.ts';
import { type FailedFrame, linesAt, type Place, type StackFrame, type StackLine } from './stack-trace.ts';

/** The opcode or the function that entered a frame of the stack. `library` is a delegate call of a library. */
export type StackFrameKind = 'call' | 'staticcall' | 'delegatecall' | 'library' | 'creation' | 'internal';

/** A function that has not ended at a step. */
export interface RunningFunction extends StackFrame {
  readonly kind: StackFrameKind;
  /** The index of the external frame, in call order. */
  readonly frame: number;
  /** The depth of the external frame; 0 for the message itself. */
  readonly depth: number;
  /** The contract that declares the function; `null` for a free function, and without sources. */
  readonly definedIn: string | null;
  /** The end of the source range; `null` without sources. */
  readonly endLine: number | null;
  readonly endColumn: number | null;
  /** The first step of the function; `null` if unknown, as for modifiers and inlined functions. */
  readonly firstStep: number | null;
  /** Gas left at the first step; `null` if unknown. */
  readonly gas: number | null;
  /** The lines around the position; `null` without sources. Absent unless requested. */
  readonly excerpt?: SourceExcerpt | null;
}

/** Consecutive lines of a source. */
export interface SourceExcerpt {
  /** The number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** A part of a call stack. */
export interface StackPage {
  readonly first: number;
  readonly count: number;
  /** The number of source lines above and below each position; `null` for no excerpts. */
  readonly lines: number | null;
}

export interface CallStack {
  /** The number of all functions. */
  readonly count: number;
  readonly frames: readonly RunningFunction[];
}

/** Maximum characters of a line in an excerpt. */
const MAX_LINE_LENGTH = 1_000;
/** Work units per function of a stack, and per line of an excerpt. */
const FUNCTION_WORK = 256;
const LINE_WORK = 64;

function excerptOf({ file }: Place, line: number, around: number): SourceExcerpt {
  const first = Math.max(1, line - around);
  return { first, lines: file.outline.linesFrom(first, line + around - first + 1, MAX_LINE_LENGTH) };
}

/** The step and the gas at the entry of a function. */
interface Entry {
  readonly step: number;
  readonly gas: number;
}

/** An external frame of the stack, as it is at the step. */
interface StackedFrame {
  readonly frame: RecordedFrame;
  readonly pc: number | null;
  readonly within: InternalCall | null;
  readonly entries: ReadonlyMap<InternalCall, Entry>;
}

/** The open frames at a step, innermost first. */
export interface RecordedStack {
  readonly frames: readonly StackedFrame[];
}

const JUMPS: ReadonlySet<number> = new Set([OPCODES.JUMP, OPCODES.JUMPI]);

/** Follows an execution up to one step. Its result throws a {@link StepOutOfRangeError} if there is no such step. */
export class CallStackRecorder implements Tracer<RecordedStack> {
  readonly #execution: ExecutionRecorder;
  readonly #guides: readonly (SourceIndex | null)[];
  readonly #wanted: number;
  readonly #entries = new WeakMap<InternalCall, Entry>();
  readonly #one = new Uint32Array(1);
  #last: InternalCall | null = null;
  #steps = 0;
  #found: readonly StackedFrame[] | null = null;

  /** `guides` by index of the frame. */
  constructor(subject: TraceSubject, guides: readonly (SourceIndex | null)[], step: number) {
    this.#execution = new ExecutionRecorder(subject, guides, Number.POSITIVE_INFINITY);
    this.#guides = guides;
    this.#wanted = step;
  }

  get skipsFrame(): boolean {
    return this.#found !== null;
  }

  frameStart(start: FrameStart): void {
    this.#execution.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#execution.frameEnd(end);
  }

  step(step: ExecutionStep): void {
    if (this.#found !== null) return;
    const index = this.#steps++;
    // A jump out of a function runs within it.
    const within = JUMPS.has(step.opcode) ? (this.#execution.innermost?.endedIn ?? null) : null;
    this.#one[0] = step.pc;
    this.#execution.trail?.(this.#one);
    const current = within ?? this.#execution.innermost?.endedIn ?? null;
    if (current !== this.#last && current !== null && !this.#entries.has(current))
      this.#entries.set(current, { step: index, gas: Number(step.gas) });
    this.#last = current;
    if (index === this.#wanted) this.#found = this.#openFrames(current);
  }

  /** Copies the open frames, because the execution changes them. */
  #openFrames(within: InternalCall | null): StackedFrame[] {
    const frames: StackedFrame[] = [];
    const innermost = this.#execution.innermost;
    let pc = innermost === null ? null : placedPc(innermost, this.#guides[innermost.index] ?? null, within);
    let calls = within;
    for (let frame = innermost; frame !== null; frame = frame.parent) {
      frames.push({ frame: { ...frame }, pc, ...this.#copied(calls) });
      pc = frame.callPc;
      calls = frame.calledIn;
    }
    return frames;
  }

  #copied(within: InternalCall | null): Pick<StackedFrame, 'within' | 'entries'> {
    const entries = new Map<InternalCall, Entry>();
    const chain: InternalCall[] = [];
    for (let call = within; call !== null; call = call.outer) chain.push(call);
    let outer: InternalCall | null = null;
    for (const call of chain.reverse()) {
      outer = { ...call, outer };
      const entry = this.#entries.get(call);
      if (entry !== undefined) entries.set(outer, entry);
    }
    return { within: outer, entries };
  }

  *result(result: ExecutionResult, after: Overlay): Steps<RecordedStack> {
    if (this.#found === null) throw new StepOutOfRangeError(this.#wanted, this.#steps);
    const { frames } = yield* this.#execution.result(result, after);
    return {
      frames: this.#found.map((stacked) => ({
        ...stacked,
        frame: { ...stacked.frame, code: frames[stacked.frame.index]?.code ?? stacked.frame.code },
      })),
    };
  }
}

/**
 * Program counter of the last opcode. If it has no place in a function, the last statement of the innermost
 * function; `null` without a statement.
 */
function placedPc(
  { lastPc }: RecordedFrame,
  guide: SourceIndex | null,
  within: InternalCall | null,
): number | null {
  if (guide === null || lastPc === null || guide.placeAt(lastPc) >= PLACE.definition) return lastPc;
  let call = within;
  while (call !== null && call.definition === 0) call = call.outer;
  return call === null ? lastPc : call.lastOwnPc;
}

/** A line of a stack with its external frame. */
interface LineOfFrame {
  readonly line: StackLine;
  readonly stacked: StackedFrame;
  /** True for the outermost line of the external frame. */
  readonly isExternal: boolean;
}

function linesOfFrame(stacked: StackedFrame, lines: readonly StackLine[]): LineOfFrame[] {
  return lines.map((line, index) => ({ line, stacked, isExternal: index === lines.length - 1 }));
}

/** Resolves to the call stack, innermost function first. */
export async function callStackOf(
  { frames }: RecordedStack,
  contracts: ContractsOfFrames,
  guides: readonly (SourceIndex | null)[],
  page: StackPage,
  checkCancelled: CancelCheck,
): Promise<CallStack> {
  const slice = new TimeSlice(checkCancelled);
  const stack: LineOfFrame[] = [];
  for (const stacked of frames) {
    const { frame } = stacked;
    const contract = contracts[frame.index] ?? null;
    const lines = await linesAt(frame, contract, guides[frame.index] ?? null, stacked);
    stack.push(...linesOfFrame(stacked, lines));
    await slice.spend(FUNCTION_WORK * lines.length);
  }
  return pageOf(stack, contracts, page, slice);
}

/**
 * Resolves to the stack trace of a failed execution as a call stack. The entries of the functions are unknown.
 */
export function failedCallStack(
  frames: readonly FailedFrame[],
  contracts: ContractsOfFrames,
  page: StackPage,
  checkCancelled: CancelCheck,
): Promise<CallStack> {
  const stack = frames.flatMap(({ frame, lines }) =>
    linesOfFrame({ frame, pc: null, within: null, entries: new Map() }, lines),
  );
  return pageOf(stack, contracts, page, new TimeSlice(checkCancelled));
}

async function pageOf(
  stack: readonly LineOfFrame[],
  contracts: ContractsOfFrames,
  { first, count, lines }: StackPage,
  slice: TimeSlice,
): Promise<CallStack> {
  const frames: RunningFunction[] = [];
  const work = FUNCTION_WORK + LINE_WORK * (lines ?? 0);
  for (const line of stack.slice(first, first + count)) {
    frames.push(runningFunction(line, contracts, lines));
    await slice.spend(work);
  }
  return { count: stack.length, frames };
}

/** `around` is the number of lines above and below in the excerpt; `null` for no excerpt. */
function runningFunction(
  { line: { frame: line, place, call }, stacked: { frame, within, entries }, isExternal }: LineOfFrame,
  contracts: ContractsOfFrames,
  around: number | null,
): RunningFunction {
  const end = place === null ? null : place.file.outline.positionOf(place.range.start + place.range.length);
  const entry = call === null ? undefined : entries.get(call);
  const ownEntry = isExternal ? entryOfFrame(within, entries) : entry;
  const excerpt =
    around === null || place === null || line.line === null ? null : excerptOf(place, line.line, around);
  return {
    ...line,
    kind: isExternal ? kindOf(frame.start.kind, contracts[frame.index] ?? null) : 'internal',
    frame: frame.index,
    depth: frame.start.depth,
    definedIn: place?.definition?.contract ?? null,
    endLine: end?.line ?? null,
    endColumn: end?.column ?? null,
    firstStep: ownEntry?.step ?? null,
    gas: isExternal ? Number(frame.start.gas) : (ownEntry?.gas ?? null),
    ...(around === null ? {} : { excerpt }),
  };
}

/** The entry of the message itself, the outermost call of a frame. */
function entryOfFrame(
  within: InternalCall | null,
  entries: ReadonlyMap<InternalCall, Entry>,
): Entry | undefined {
  let outermost = within;
  while (outermost !== null && outermost.outer !== null) outermost = outermost.outer;
  return outermost === null ? undefined : entries.get(outermost);
}

const KINDS: Readonly<Record<FrameKind, StackFrameKind>> = {
  CALL: 'call',
  STATICCALL: 'staticcall',
  DELEGATECALL: 'delegatecall',
  CALLCODE: 'delegatecall',
  CREATE: 'creation',
  CREATE2: 'creation',
  SELFDESTRUCT: 'call',
};

function kindOf(kind: FrameKind, contract: KnownContract | null): StackFrameKind {
  const found = KINDS[kind];
  return found === 'delegatecall' && contract?.isLibrary === true ? 'library' : found;
}
