// Every step of an execution with what it changed, frame inside frame, in Parity's format.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { type Awaitable, runTask, type Task } from '../../scheduling/task.ts';
import { hexInPieces, type WorkPieces } from '../../scheduling/work-pieces.ts';
import { delegateOf } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import { type ExecutionStep, type FrameEnd, type FrameStart, opcodeName } from '../observer.ts';
import { CreatedCode, isCreation } from './touched-state.ts';
import { EmptyCallTreeError, type Tracer, type TraceSubject } from './tracer.ts';

/** The effect of a step that violated no rule, in Parity's format. */
interface VmEffect {
  /** The bytes that it wrote to the memory; `null` for none. */
  mem: { readonly data: string; readonly off: number } | null;
  /** The topmost items of the stack that it wrote, the top last. */
  push: readonly string[];
  readonly store: { readonly key: string; readonly val: string } | null;
  /** The gas left after it. */
  used: number;
}

/** A step, in Parity's format; `ex` is `null` for one that violated a rule. */
interface VmStep {
  /** With the gas that a call or a creation passes on. */
  cost: number;
  ex: VmEffect | null;
  readonly op: string;
  readonly pc: number;
  /** The steps of the frame that it began. */
  sub: VmTrace | null;
}

/** The steps of a frame, in Parity's format. */
export interface VmTrace {
  readonly code: string;
  readonly ops: readonly VmStep[];
}

interface GrowingTrace extends VmTrace {
  code: string;
  readonly ops: VmStep[];
}

/** A region of a memory. */
interface Region {
  readonly offset: number;
  readonly length: number;
}

/** A step whose effect is not known yet. */
interface OpenStep {
  readonly shown: VmStep;
  /** The number of items on the stack that it writes. */
  readonly pushed: number;
  readonly written: Region | null;
  readonly store: VmEffect['store'];
  /** The gas that is left unless a frame inside used some. */
  readonly gasLeft: bigint;
}

/** A frame of the execution; `trace` is `null` for frames that run no code of their own. */
interface VmFrame {
  readonly start: FrameStart;
  readonly trace: GrowingTrace | null;
  open: OpenStep | null;
}

/** The places where opcodes write to the memory: the distances from the top of the stack of offset and length. */
const WRITTEN: ReadonlyMap<number, readonly [offset: number, length: number]> = new Map([
  [OPCODES.CALLDATACOPY, [0, 2]],
  [OPCODES.CODECOPY, [0, 2]],
  [OPCODES.RETURNDATACOPY, [0, 2]],
  [OPCODES.MCOPY, [0, 2]],
  [OPCODES.EXTCODECOPY, [1, 3]],
  [OPCODES.CALL, [5, 6]],
  [OPCODES.CALLCODE, [5, 6]],
  [OPCODES.DELEGATECALL, [4, 5]],
  [OPCODES.STATICCALL, [4, 5]],
]);

/** The bytes that an opcode writes whose length is always the same. Parity counts MLOAD among these. */
const WRITTEN_LENGTHS: ReadonlyMap<number, number> = new Map([
  [OPCODES.MLOAD, 32],
  [OPCODES.MSTORE, 32],
  [OPCODES.MSTORE8, 1],
]);

/** Returns the region of the memory that a step writes; `null` for none. Beyond any memory, the step violates a rule. */
function writtenRegion(step: ExecutionStep): Region | null {
  const fixed = WRITTEN_LENGTHS.get(step.opcode);
  const [offset, length] = WRITTEN.get(step.opcode) ?? [0, 0];
  const bytes = fixed ?? (length === 0 ? 0 : Number(step.stackItem(length) ?? 0n));
  return bytes === 0 ? null : { offset: Number(step.stackItem(offset) ?? 0n), length: bytes };
}

function quantity(item: bigint | undefined): string {
  return `0x${(item ?? 0n).toString(16)}`;
}

function storeOf(step: ExecutionStep): VmEffect['store'] {
  if (step.opcode !== OPCODES.SSTORE) return null;
  return { key: quantity(step.stackItem(0)), val: quantity(step.stackItem(1)) };
}

/** Characters of JSON for a step without what it wrote, for an item of the stack besides its digits, and for a frame. */
const STEP_SIZE = 110;
const ITEM_SIZE = 4;
const FRAME_SIZE = 30;

/**
 * Each step of an execution with what it wrote to stack, memory and storage, and the frames inside each other (the
 * `vmTrace` of Parity's trace_* methods). Numbers of gas are JSON numbers, items of the stack QUANTITY. A step that
 * violates a rule has no effect (`ex` is `null`); one that calls a precompile has no steps inside (`sub`). Throws
 * `TraceTooLargeError` when the trace grows too large.
 */
export class VmTracer implements Tracer<VmTrace> {
  readonly #subject: TraceSubject;
  readonly #frames: VmFrame[] = [];
  readonly #traced: VmFrame[] = [];
  readonly #codes = new Map<VmFrame, Uint8Array>();
  readonly #created = new CreatedCode();

  constructor(subject: TraceSubject) {
    this.#subject = subject;
  }

  frameStart(start: FrameStart): void {
    const runsNoCode = start.kind === 'SELFDESTRUCT' || (start.isPrecompile && start.depth > 0);
    const trace = runsNoCode ? null : { code: '0x', ops: [] };
    const creates = isCreation(start);
    const kept = { ...start, input: creates ? start.input.slice() : EMPTY_BYTES };
    const frame: VmFrame = { start: kept, trace, open: null };
    this.#created.frameStart(start);
    const around = this.#frames.at(-1)?.open;
    this.#frames.push(frame);
    if (trace === null) return;
    this.#subject.budget.spend(FRAME_SIZE);
    if (around) {
      around.shown.sub = trace;
      // The gas that a creation passes on is known only when its frame begins; that of a call is a part of its cost.
      if (creates) around.shown.cost += Number(start.gas);
    }
    this.#traced.push(frame);
    this.#codes.set(frame, this.#knownCode(frame));
  }

  step(step: ExecutionStep): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || frame.trace === null) return;
    this.#settle(frame, step);
    const shown: VmStep = {
      cost: Number(step.gasCost),
      ex: null,
      op: opcodeName(step.opcode),
      pc: step.pc,
      sub: null,
    };
    this.#subject.budget.spend(STEP_SIZE);
    frame.trace.ops.push(shown);
    frame.open = {
      shown,
      pushed: STACK_USE[step.opcode]?.left ?? 0,
      written: writtenRegion(step),
      store: storeOf(step),
      gasLeft: step.gas - step.gasCost,
    };
  }

  fault(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.open = null;
  }

  frameEnd(end: FrameEnd): void {
    this.#created.frameEnd(end);
    const open = this.#frames.pop()?.open ?? null;
    // The last step of a frame leaves nothing behind but its gas.
    if (open === null) return;
    open.shown.ex = { mem: null, push: [], store: open.store, used: Number(open.gasLeft) };
  }

  /** Completes the last step of the frame by what stands before the next one. */
  #settle(frame: VmFrame, next: ExecutionStep): void {
    const { open } = frame;
    if (open === null) return;
    const { shown, pushed, written, store } = open;
    const push: string[] = [];
    for (let distance = pushed - 1; distance >= 0; distance--) push.push(quantity(next.stackItem(distance)));
    const mem =
      written === null
        ? null
        : {
            data: toHex(next.memory().subarray(written.offset, written.offset + written.length)),
            off: written.offset,
          };
    let size = mem?.data.length ?? 0;
    for (const item of push) size += item.length + ITEM_SIZE;
    this.#subject.budget.spend(size);
    shown.ex = { mem, push, store, used: Number(next.gas) };
  }

  /** The code of a frame as far as it is known before the execution ends; empty where it is not. */
  #knownCode({ start }: VmFrame): Uint8Array {
    return isCreation(start) ? start.input : (this.#created.of(start.to) ?? EMPTY_BYTES);
  }

  result(_execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<VmTrace> {
    return runTask(this.#withCode(after, pieces));
  }

  *#withCode(after: Overlay, pieces: WorkPieces): Task<VmTrace> {
    for (const frame of this.#traced) {
      const code = this.#codeOf(frame, after);
      this.#subject.budget.spend(2 * code.length);
      if (frame.trace !== null) frame.trace.code = yield* hexInPieces(code, pieces);
      const turn = pieces.spend(FRAME_SIZE + code.length);
      if (turn !== undefined) yield turn;
    }
    const root = this.#traced[0]?.trace ?? null;
    if (root === null) throw new EmptyCallTreeError('no frame was observed');
    return root;
  }

  /** Returns the code that a frame ran: of an account that delegates (EIP-7702) that of its delegate. */
  #codeOf(frame: VmFrame, after: Overlay): Uint8Array {
    const known = this.#codes.get(frame) ?? EMPTY_BYTES;
    if (known.length > 0 || isCreation(frame.start)) return known;
    const { to } = frame.start;
    // A delegation of the transaction itself holds from its beginning on, and whatever it reverts.
    const delegate = delegateOf(after.code(to));
    if (delegate === null) return this.#subject.before.account(to)?.code.bytes ?? EMPTY_BYTES;
    return this.#subject.before.account(delegate)?.code.bytes ?? after.code(delegate);
  }
}
