// All steps with their effects, nested by frame, in Parity's format.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { delegateOf } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import { type ExecutionStep, type FrameEnd, type FrameStart, isCreation, opcodeName } from '../observer.ts';
import { CreatedCode } from './touched-state.ts';
import { EmptyCallTreeError, type Tracer, type TraceSubject } from './tracer.ts';

/** The effect of a successful step in Parity's format. */
interface VmEffect {
  /** The memory that the step wrote; `null` if none. */
  mem: { readonly data: string; readonly off: number } | null;
  /** The topmost stack items that the step wrote, with the top last. */
  push: readonly string[];
  readonly store: { readonly key: string; readonly val: string } | null;
  /** The gas left after the step. */
  used: number;
}

/** A step in Parity's format; `ex` is `null` if it violated a rule. */
interface VmStep {
  /** Includes the gas passed to a call or creation. */
  cost: number;
  ex: VmEffect | null;
  readonly op: string;
  readonly pc: number;
  /** The steps of the frame that this step started. */
  sub: VmTrace | null;
}

/** The steps of a frame in Parity's format. */
export interface VmTrace {
  readonly code: string;
  readonly ops: readonly VmStep[];
}

interface GrowingTrace extends VmTrace {
  code: string;
  readonly ops: VmStep[];
}

/** A region of a memory, in bytes. */
interface Region {
  readonly offset: number;
  readonly length: number;
}

/** A step whose effect is not known yet. */
interface OpenStep {
  readonly shown: VmStep;
  /** The number of stack items that the step writes. */
  readonly pushed: number;
  readonly written: Region | null;
  readonly store: VmEffect['store'];
  /** The gas left after the step if it starts no frame. */
  readonly gasLeft: bigint;
}

/** A frame of the execution; `trace` is `null` if it runs no code. */
interface VmFrame {
  readonly start: FrameStart;
  readonly trace: GrowingTrace | null;
  open: OpenStep | null;
}

/** Opcodes that write memory: the distances of offset and length from the top of the stack. */
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

/** Opcodes that write a fixed number of bytes. Parity includes MLOAD. */
const WRITTEN_LENGTHS: ReadonlyMap<number, number> = new Map([
  [OPCODES.MLOAD, 32],
  [OPCODES.MSTORE, 32],
  [OPCODES.MSTORE8, 1],
]);

/** Returns the memory region that a step writes; `null` if none. */
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

/** Characters of JSON for a step without its effect, for a stack item without its digits, and for a frame. */
const STEP_SIZE = 110;
const ITEM_SIZE = 4;
const FRAME_SIZE = 30;

/**
 * Each step with its writes to stack, memory and storage, in nested frames (the `vmTrace` of Parity's
 * `trace_*` methods). Gas values are JSON numbers; stack items are QUANTITY. A step that violates a rule has
 * no effect (`ex` is `null`). A step that calls a precompile has no nested steps (`sub`). Throws
 * `TraceTooLargeError` if the trace exceeds the budget.
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
    const creates = isCreation(start.kind);
    const kept = { ...start, input: creates ? start.input.slice() : EMPTY_BYTES };
    const frame: VmFrame = { start: kept, trace, open: null };
    this.#created.frameStart(start);
    const around = this.#frames.at(-1)?.open;
    this.#frames.push(frame);
    if (trace === null) return;
    this.#subject.budget.spend(FRAME_SIZE);
    if (around) {
      around.shown.sub = trace;
      // The gas passed to a creation is known only when its frame starts. The cost of a call already includes
      // it.
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
    // The last step of a frame has no effect except its gas and storage write.
    if (open === null) return;
    open.shown.ex = { mem: null, push: [], store: open.store, used: Number(open.gasLeft) };
  }

  /** Completes the last step of the frame with the machine state before the next step. */
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

  /** Returns the code of a frame if it is known before the execution ends; otherwise empty. */
  #knownCode({ start }: VmFrame): Uint8Array {
    return isCreation(start.kind) ? start.input : (this.#created.of(start.to) ?? EMPTY_BYTES);
  }

  *result(_execution: ExecutionResult, after: Overlay): Steps<VmTrace> {
    for (const frame of this.#traced) {
      const code = this.#codeOf(frame, after);
      this.#subject.budget.spend(2 * code.length);
      if (frame.trace !== null) frame.trace.code = yield* hexInSteps(code);
      yield FRAME_SIZE + code.length;
    }
    const root = this.#traced[0]?.trace ?? null;
    if (root === null) throw new EmptyCallTreeError('no frame was observed');
    return root;
  }

  /** Returns the code that a frame executed; for a delegating account (EIP-7702), the delegate's code. */
  #codeOf(frame: VmFrame, after: Overlay): Uint8Array {
    const known = this.#codes.get(frame) ?? EMPTY_BYTES;
    if (known.length > 0 || isCreation(frame.start.kind)) return known;
    const { to } = frame.start;
    // Delegations of the transaction are set before any code runs and are not reverted.
    const delegate = delegateOf(after.code(to));
    if (delegate === null) return this.#subject.before.account(to)?.code.bytes ?? EMPTY_BYTES;
    return this.#subject.before.account(delegate)?.code.bytes ?? after.code(delegate);
  }
}
