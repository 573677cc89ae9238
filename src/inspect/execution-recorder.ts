/** Records an execution as a tree of frames. All other modules of this folder use the record. */

import type { ExecutionResult } from '../evm/engine.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart } from '../evm/observer.ts';
import type { TraceBudget, TraceSubject } from '../evm/tracers/tracer.ts';
import { copyBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import type { Steps } from '../primitives/steps.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';
import type { Overlay } from '../state/overlay.ts';
import { definitionAround, type InternalCall, ownerOf, PLACE, TRAIT } from './bytecode-features.ts';
import { authorizedCodes, FrameCodes } from './frame-codes.ts';
import type { SourceIndex } from './source-index.ts';

export type FrameItem =
  | { readonly kind: 'call'; readonly frame: RecordedFrame }
  | { readonly kind: 'log'; readonly log: Log };

export interface RecordedFrame {
  readonly start: FrameStart;
  readonly end: FrameEnd;
  /** Gas charged for the frame. The outermost frame has the total gas that the sender paid for. */
  readonly charged: bigint;
  /** In call order; 0 for the outermost frame. */
  readonly index: number;
  readonly parent: RecordedFrame | null;
  /** The executed code: the initcode of a creation, or the delegate's code of a delegation (EIP-7702). */
  readonly code: Uint8Array;
  readonly items: readonly FrameItem[];
  /** The decisions that a precompile reported. */
  readonly remarks: readonly string[];
  /** Program counter of the call in the parent's code; `null` if steps were not recorded. */
  readonly callPc: number | null;
  /** Program counter of the call opcode. Its source place may belong to a function that shares the code. */
  readonly callCodePc: number | null;
  /** The parent's function stack at the call. Only set for the last call of a parent. */
  readonly calledIn: InternalCall | null;
  /** Program counter of the last opcode; `null` if no step was recorded. */
  readonly lastPc: number | null;
  /** Program counter closest to the end of the frame; `null` if unknown. */
  readonly failedPc: number | null;
  /** Program counter of the failure. Its source place may belong to a function that shares the code. */
  readonly failedCodePc: number | null;
  /** True if the last opcode with a source place is in a statement, so no check before a function failed. */
  readonly endedInStatement: boolean;
  /** The function stack at the end of the frame. */
  readonly endedIn: InternalCall | null;
  /** The frame's last EXTCODESIZE check. */
  readonly codeSizeCheck: CodeSizeCheck | null;
}

/** A check with EXTCODESIZE. Solidity makes one before each call. */
export interface CodeSizeCheck {
  /** As in the frame of the call that would follow. */
  readonly callPc: number | null;
  readonly callCodePc: number;
  /** The checked account. */
  readonly address: bigint;
}

type OpenFrame = { -readonly [Key in keyof RecordedFrame]: RecordedFrame[Key] } & {
  items: FrameItem[];
  remarks: string[];
  /** Program counter of the last opcode with a place in the source. */
  lastPlacedPc: number | null;
  /** Program counter of the last opcode of a statement that the functions on the stack can run. */
  lastStatementPc: number | null;
  /** Program counter of the last opcode of any statement, even if a function only shares its code. */
  lastSharedPc: number | null;
  /** The function that ran the statement last, and the function that the statement belongs to. */
  statementIn: InternalCall | null;
  statementOwner: InternalCall | null;
  /** True if a conditional jump ran in or after the statement. */
  isDecided: boolean;
  /** The frame's last call; `null` for none. */
  lastChild: OpenFrame | null;
  /** The number of entered functions beyond the depth limit. */
  uncounted: number;
};

/** Maximum recorded steps. This corresponds to 80 million gas, or about half a second. */
const MAX_STEPS = 20_000_000;

/** Thrown if an execution has too many steps to follow its functions. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError';
}

const CODE_SIZE_CHECKS: ReadonlySet<number> = new Set([OPCODES.EXTCODESIZE]);

const UNFINISHED: FrameEnd = { outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n };
/** Characters of JSON for a frame without its input and output, or a log without its data. */
const FRAME_SIZE = 700;
/** Characters of JSON per byte of data: hex digits, and often decoded values with names and types. */
const BYTE_SIZE = 5;
const CODE_WORK = 128;
/** Maximum depth of the recorded function stack. Deeper recursion is not recorded. */
const MAX_INTERNAL_CALLS = 1024;

export interface RecordedExecution {
  readonly result: ExecutionResult;
  readonly root: RecordedFrame;
  /** All frames in call order. */
  readonly frames: readonly RecordedFrame[];
  readonly subject: TraceSubject;
  /** The guides, by index of the frame. */
  readonly guides: readonly (SourceIndex | null)[];
}

/**
 * Records frames and logs. With guides it also records steps, to find where each frame ended. Steps are
 * expensive. Throws `TraceTooLargeError` if the record grows too large, and {@link TooManyStepsError}.
 */
export class ExecutionRecorder implements ExecutionObserver {
  readonly wantedSteps = CODE_SIZE_CHECKS;
  /** Only set if guides are present, because an observer with these hooks slows the engine down. */
  trail?: (places: Uint32Array) => void;
  step?: (step: ExecutionStep) => void;
  readonly #subject: TraceSubject;
  readonly #budget: TraceBudget;
  readonly #guides: readonly (SourceIndex | null)[];
  readonly #frames: OpenFrame[] = [];
  readonly #open: OpenFrame[] = [];
  readonly #maxSteps: number;
  #steps = 0;
  /** Program counter of a jump into a function. The next opcode is its destination. */
  #jump: number | null = null;

  /** `guides` by index of the frame; without guides, steps are not observed. */
  constructor(
    subject: TraceSubject,
    guides: readonly (SourceIndex | null)[] | null = null,
    maxSteps: number = MAX_STEPS,
  ) {
    this.#maxSteps = maxSteps;
    this.#subject = subject;
    this.#budget = subject.budget;
    this.#guides = guides ?? [];
    if (guides === null) return;
    this.trail = (places) => this.#follow(places);
    this.step = (step) => this.#checksCode(step);
  }

  /** True during a frame without a guide. */
  get skipsFrame(): boolean {
    const frame = this.#open.at(-1);
    return frame === undefined || this.#guideOf(frame) === null;
  }

  /** The frame that executes now; `null` before and after the execution. */
  get innermost(): RecordedFrame | null {
    return this.#open.at(-1) ?? null;
  }

  frameStart(start: FrameStart): void {
    this.#budget.spend(FRAME_SIZE + BYTE_SIZE * start.input.length);
    const parent = this.#open.at(-1) ?? null;
    const frame: OpenFrame = {
      start: { ...start, input: copyBytes(start.input) },
      end: UNFINISHED,
      charged: 0n,
      index: this.#frames.length,
      parent,
      code: EMPTY_BYTES,
      items: [],
      remarks: [],
      callPc: parent === null ? null : this.#placedPc(parent),
      callCodePc: parent?.lastPc ?? null,
      calledIn: parent?.endedIn ?? null,
      lastPc: null,
      failedPc: null,
      failedCodePc: null,
      endedInStatement: false,
      endedIn: null,
      codeSizeCheck: null,
      lastPlacedPc: null,
      lastStatementPc: null,
      lastSharedPc: null,
      statementIn: null,
      statementOwner: null,
      isDecided: false,
      lastChild: null,
      uncounted: 0,
    };
    const called = this.#guideOf(frame)?.calledBy(start) ?? 0;
    frame.endedIn = { pc: null, definition: called, outer: null, depth: 0, lastOwnPc: null };
    this.#jump = null;
    if (parent !== null) {
      // Only the last call can be the cause of the parent's failure. Function stacks of all calls would use
      // too much memory.
      if (parent.lastChild !== null) parent.lastChild.calledIn = null;
      parent.lastChild = frame;
      parent.items.push({ kind: 'call', frame });
    }
    this.#frames.push(frame);
    this.#open.push(frame);
  }

  frameEnd(end: FrameEnd): void {
    this.#budget.spend(BYTE_SIZE * end.output.length);
    const frame = this.#open.pop();
    this.#jump = null;
    if (frame === undefined) return;
    frame.charged = end.gasUsed;
    frame.end = { ...failedAsPrecompile(end), output: copyBytes(end.output) };
    if (end.outcome !== 'success') this.#fail(frame);
  }

  log(log: Log): void {
    this.#budget.spend(FRAME_SIZE + BYTE_SIZE * log.data.length);
    this.#open.at(-1)?.items.push({ kind: 'log', log });
  }

  remark(text: string): void {
    this.#budget.spend(text.length);
    this.#open.at(-1)?.remarks.push(text);
  }

  #checksCode(step: ExecutionStep): void {
    const frame = this.#open.at(-1);
    if (frame === undefined || step.opcode !== OPCODES.EXTCODESIZE || this.#guideOf(frame) === null) return;
    frame.codeSizeCheck = {
      callPc: this.#placedPc(frame),
      callCodePc: step.pc,
      address: BigInt.asUintN(160, step.stackItem(0) ?? 0n),
    };
  }

  #follow(places: Uint32Array): void {
    this.#steps += places.length;
    if (this.#steps > this.#maxSteps) throw new TooManyStepsError();
    const frame = this.#open.at(-1);
    if (frame === undefined || places.length === 0) return;
    const guide = this.#guideOf(frame);
    frame.lastPc = places[places.length - 1] ?? null;
    if (guide === null) return;
    for (const pc of places) {
      if (this.#jump !== null) {
        this.#enter(frame, guide, this.#jump, pc);
        this.#jump = null;
      }
      const traits = guide.traitsAt(pc);
      if (traits === 0) continue;
      if ((traits & TRAIT.place) !== PLACE.none) frame.lastPlacedPc = pc;
      if ((traits & TRAIT.runsStatement) !== 0) markStatement(frame, guide, pc);
      if ((traits & TRAIT.jumps) === 0) continue;
      if ((traits & TRAIT.decides) !== 0) frame.isDecided = true;
      if ((traits & TRAIT.enters) !== 0) this.#jump = pc;
      else if ((traits & TRAIT.leaves) !== 0) leave(frame);
    }
  }

  #guideOf({ index }: OpenFrame): SourceIndex | null {
    return this.#guides[index] ?? null;
  }

  #enter(frame: OpenFrame, guide: SourceIndex, from: number, to: number): void {
    const outer = frame.endedIn;
    if (outer === null) return;
    if (outer.depth >= MAX_INTERNAL_CALLS) {
      frame.uncounted++;
      return;
    }
    const entered = guide.isEntry(to) ? guide.definitionAt(to) : 0;
    const around = definitionAround(outer);
    // The compiler may merge functions with equal code, under the name of either.
    const definition = entered === 0 || guide.mayRun(entered, around) ? entered : 0;
    frame.endedIn = { pc: from, definition, outer, depth: outer.depth + 1, lastOwnPc: null };
  }

  /** Program counter of the current opcode, or of its statement if the opcode has no place in a statement. */
  #placedPc(frame: OpenFrame): number | null {
    const { lastPc } = frame;
    const guide = this.#guideOf(frame);
    if (guide === null || lastPc === null) return lastPc;
    return isStatementOf(frame, guide, lastPc) ? lastPc : (frame.lastStatementPc ?? lastPc);
  }

  #fail(frame: OpenFrame): void {
    const { lastPlacedPc, lastStatementPc, lastSharedPc, isDecided, endedIn, end } = frame;
    const guide = this.#guideOf(frame);
    frame.failedPc = frame.failedCodePc = lastPlacedPc;
    if (guide === null || lastPlacedPc === null) return;
    const isInStatement = guide.placeAt(lastPlacedPc) === PLACE.statement;
    const around = definitionAround(endedIn);
    frame.endedInStatement = isInStatement && guide.isOwnEnd(lastPlacedPc, around, end);
    if (frame.endedInStatement) return;
    if (!isInStatement && lastSharedPc !== null && guide.canFail(lastSharedPc, around, end)) {
      frame.failedCodePc = lastSharedPc;
    }
    const isCause = isDecided || isInStatement;
    if (lastStatementPc !== null && isCause && guide.canFail(lastStatementPc, around, end)) {
      frame.failedPc = lastStatementPc;
    } else if (
      end.outcome === 'halt' &&
      endedIn !== null &&
      endedIn.definition === 0 &&
      endedIn.pc !== null
    ) {
      // An uninitialised pointer to an internal function leads to an invalid opcode that belongs to no
      // function.
      frame.failedPc = frame.failedCodePc = endedIn.pc;
    } else if (isInStatement || !guide.mayRun(guide.definitionAt(lastPlacedPc), around)) {
      frame.failedPc = null;
    }
  }

  /** Returns the record. Call it once, after the execution. `after` is the state after it. */
  *result(result: ExecutionResult, after: Pick<Overlay, 'code'>): Steps<RecordedExecution> {
    const codes = new FrameCodes(this.#subject.before, authorizedCodes(this.#subject, after));
    for (const frame of this.#frames) {
      frame.code = codes.next(frame.start, frame.end);
      yield CODE_WORK;
    }
    const [root] = this.#frames;
    if (root === undefined) throw new RangeError('no frame was observed');
    root.charged = result.gasPaid;
    return { result, root, frames: this.#frames, subject: this.#subject, guides: this.#guides };
  }
}

/** Marks a failed precompile as failed, even if the receipt reports success. */
function failedAsPrecompile(end: FrameEnd): FrameEnd {
  if (end.precompileFailure === undefined || end.outcome !== 'success') return end;
  return { ...end, outcome: 'halt', haltReason: HALT_REASONS.precompileFailed };
}

function isStatementOf({ endedIn }: OpenFrame, guide: SourceIndex, pc: number): boolean {
  return (
    guide.placeAt(pc) === PLACE.statement && guide.mayRun(guide.definitionAt(pc), definitionAround(endedIn))
  );
}

function markStatement(frame: OpenFrame, guide: SourceIndex, pc: number): void {
  frame.lastSharedPc = pc;
  const { lastStatementPc, statementOwner, endedIn } = frame;
  const isSame = lastStatementPc !== null && guide.isSamePlace(lastStatementPc, pc);
  if (isSame && endedIn === frame.statementIn) {
    frame.lastStatementPc = pc;
    if (statementOwner !== null) statementOwner.lastOwnPc = pc;
    return;
  }
  if (!isStatementOf(frame, guide, pc)) return;
  if (!isSame) frame.isDecided = false;
  frame.lastStatementPc = pc;
  frame.statementIn = endedIn;
  frame.statementOwner = ownerOf(endedIn, guide.definitionAt(pc));
  if (frame.statementOwner !== null) frame.statementOwner.lastOwnPc = pc;
}

function leave(frame: OpenFrame): void {
  if (frame.uncounted > 0) frame.uncounted--;
  else frame.endedIn = frame.endedIn?.outer ?? frame.endedIn;
}
