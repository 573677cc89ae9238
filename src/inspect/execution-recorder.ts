/** Records what an execution did, frame by frame and in order: the facts that everything else of this room is made of. */

import type { ExecutionResult } from '../evm/engine.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart } from '../evm/observer.ts';
import type { TraceBudget, TraceSubject } from '../evm/tracers/tracer.ts';
import { copyBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';
import { type Awaitable, runTask, type Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { Overlay } from '../state/overlay.ts';
import type { CodeGuide } from './code-guide.ts';
import { definitionAround, type InternalCall, ownerOf, PLACE, TRAIT } from './code-traits.ts';
import { FrameCodes } from './frame-codes.ts';

/** Something that happened in a frame. */
export type FrameItem =
  | { readonly kind: 'call'; readonly frame: RecordedFrame }
  | { readonly kind: 'log'; readonly log: Log };

/** A frame with everything that happened in it. */
export interface RecordedFrame {
  readonly start: FrameStart;
  readonly end: FrameEnd;
  /** Gas that the frame cost: for the message itself all that its sender paid for. */
  readonly charged: bigint;
  /** In the order in which frames began; 0 for the message itself. */
  readonly index: number;
  readonly parent: RecordedFrame | null;
  /** The code that ran: of a creation its initcode, of an account that delegates (EIP-7702) that of its delegate. */
  readonly code: Uint8Array;
  readonly items: readonly FrameItem[];
  /** The program counter in the code of the parent at which the frame began; `null` when steps were not recorded. */
  readonly callPc: number | null;
  /** The place of the call in the code itself, which may be that of another function that shares the code. */
  readonly callCodePc: number | null;
  /** The functions that the parent was in when it began the frame; kept of the last frame in its parent alone. */
  readonly calledIn: InternalCall | null;
  /** The program counter of the last opcode; `null` when no step was recorded. */
  readonly lastPc: number | null;
  /** The program counter that says best where the frame ended; `null` when nothing says it. */
  readonly failedPc: number | null;
  /** The place of the failure in the code itself. */
  readonly failedCodePc: number | null;
  /** True when the last opcode with a place in the source was one of a statement: no check before a function failed. */
  readonly endedInStatement: boolean;
  /** The functions that were entered and not left when the frame ended. */
  readonly endedIn: InternalCall | null;
  /** The last look of the frame whether an account has code. */
  readonly codeSizeCheck: CodeSizeCheck | null;
}

/** A look whether an account has code, as Solidity makes it before each call. */
export interface CodeSizeCheck {
  /** As in the frame that would follow. */
  readonly callPc: number | null;
  readonly callCodePc: number;
  /** The account that was looked at. */
  readonly address: bigint;
}

type OpenFrame = { -readonly [Key in keyof RecordedFrame]: RecordedFrame[Key] } & {
  items: FrameItem[];
  /** The program counter of the last opcode that has a place in the source. */
  lastPlacedPc: number | null;
  /** The program counter of the last opcode of a statement that the functions which were entered can have run. */
  lastStatementPc: number | null;
  /** The program counter of the last opcode of any statement, also of one whose code was only shared. */
  lastSharedPc: number | null;
  /** The function that ran that statement last, and the one whose own it is. */
  statementIn: InternalCall | null;
  statementOwner: InternalCall | null;
  /** True when a condition was decided in that statement or behind it. */
  isDecided: boolean;
  /** The frame that it began last; `null` for none. */
  lastChild: OpenFrame | null;
  /** Functions that were entered beyond the limit. */
  uncounted: number;
};

/** Steps that are followed: as many as 80 million gas pay for, which take half a second. */
const MOST_STEPS = 20_000_000;

/** Thrown when an execution takes so many steps that following its functions would take too long. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError';
}

const CODE_SIZE_CHECKS: ReadonlySet<number> = new Set([OPCODES.EXTCODESIZE]);

const UNFINISHED: FrameEnd = { outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n };
/** Characters of JSON for a frame without its input and output, and for a log without its data. */
const FRAME_SIZE = 700;
/** The size of a byte of data, which is answered in digits and, where it is decoded, in values with names and types. */
const BYTE_SIZE = 5;
/** Units of work for finding the code of a frame. */
const CODE_WORK = 128;
/** Functions inside each other that are kept; recursion beyond that is not shown. */
const MOST_INTERNAL_CALLS = 1024;

/** A recorded execution. */
export interface RecordedExecution {
  readonly result: ExecutionResult;
  readonly root: RecordedFrame;
  /** All frames in the order in which they began. */
  readonly frames: readonly RecordedFrame[];
  readonly subject: TraceSubject;
  /** The guides, by the index of the frame. */
  readonly guides: readonly (CodeGuide | null)[];
}

/**
 * Records frames and logs; with guides also where each frame ended. Steps are observed only with guides, so that a
 * recording without them costs little. Throws `TraceTooLargeError` when the recording grows too large, and
 * {@link TooManyStepsError}.
 */
export class ExecutionRecorder implements ExecutionObserver {
  readonly wantedSteps = CODE_SIZE_CHECKS;
  /** Present only with guides, since an observer with them slows the engine down. */
  trail?: (places: Uint32Array) => void;
  step?: (step: ExecutionStep) => void;
  readonly #subject: TraceSubject;
  readonly #budget: TraceBudget;
  readonly #guides: readonly (CodeGuide | null)[];
  readonly #frames: OpenFrame[] = [];
  readonly #open: OpenFrame[] = [];
  readonly #mostSteps: number;
  #steps = 0;
  /** The jump into a function whose destination is the next opcode. */
  #jump: number | null = null;

  /** `guides` by the index of the frame; without them steps are not observed. */
  constructor(
    subject: TraceSubject,
    guides: readonly (CodeGuide | null)[] | null = null,
    mostSteps: number = MOST_STEPS,
  ) {
    this.#mostSteps = mostSteps;
    this.#subject = subject;
    this.#budget = subject.budget;
    this.#guides = guides ?? [];
    if (guides === null) return;
    this.trail = (places) => this.#follow(places);
    this.step = (step) => this.#checksCode(step);
  }

  /** True while a frame runs whose code nothing is known of. */
  get skipsFrame(): boolean {
    const frame = this.#open.at(-1);
    return frame === undefined || this.#guideOf(frame) === null;
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
      // Only the last call of a frame can be one that its failure passes on. Functions of recursions would fill the memory.
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
    if (this.#steps > this.#mostSteps) throw new TooManyStepsError();
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

  #guideOf({ index }: OpenFrame): CodeGuide | null {
    return this.#guides[index] ?? null;
  }

  #enter(frame: OpenFrame, guide: CodeGuide, from: number, to: number): void {
    const outer = frame.endedIn;
    if (outer === null) return;
    if (outer.depth >= MOST_INTERNAL_CALLS) {
      frame.uncounted++;
      return;
    }
    const entered = guide.isEntry(to) ? guide.definitionAt(to) : 0;
    const around = definitionAround(outer);
    // Functions with equal code may be one in the code, under the name of either.
    const definition = entered === 0 || guide.mayRun(entered, around) ? entered : 0;
    frame.endedIn = { pc: from, definition, outer, depth: outer.depth + 1, lastOwnPc: null };
  }

  /** The program counter of the opcode that runs, or of its statement when only that has a place. */
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
      // A pointer to an internal function that was never set leads to an invalid opcode which belongs to no function.
      frame.failedPc = frame.failedCodePc = endedIn.pc;
    } else if (isInStatement || !guide.mayRun(guide.definitionAt(lastPlacedPc), around)) {
      frame.failedPc = null;
    }
  }

  /** Returns the recording, in pieces where its frames are many; must be called once, after the execution. */
  result(result: ExecutionResult, _after: Overlay, pieces: WorkPieces): Awaitable<RecordedExecution> {
    return runTask(this.recorded(result, pieces));
  }

  /** As {@link result}, for recorders that this one is a part of. */
  *recorded(result: ExecutionResult, pieces: WorkPieces): Task<RecordedExecution> {
    const codes = new FrameCodes(this.#subject.before);
    for (const frame of this.#frames) {
      frame.code = codes.next(frame.start, frame.end);
      const turn = pieces.spend(CODE_WORK);
      if (turn !== undefined) yield turn;
    }
    const [root] = this.#frames;
    if (root === undefined) throw new RangeError('no frame was observed');
    root.charged = result.gasPaid;
    return { result, root, frames: this.#frames, subject: this.#subject, guides: this.#guides };
  }
}

/** Returns the end with a precompile that failed as failed, whatever the receipt has. */
function failedAsPrecompile(end: FrameEnd): FrameEnd {
  if (end.precompileFailure === undefined || end.outcome !== 'success') return end;
  return { ...end, outcome: 'halt', haltReason: HALT_REASONS.precompileFailed };
}

function isStatementOf({ endedIn }: OpenFrame, guide: CodeGuide, pc: number): boolean {
  return (
    guide.placeAt(pc) === PLACE.statement && guide.mayRun(guide.definitionAt(pc), definitionAround(endedIn))
  );
}

function markStatement(frame: OpenFrame, guide: CodeGuide, pc: number): void {
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
