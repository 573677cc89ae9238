// The default tracer of Ethereum's nodes, step by step.

import { toHex } from '../../primitives/hex.ts';
import { type Awaitable, runTask, whenReady } from '../../primitives/task.ts';
import { hexInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep } from '../observer.ts';
import { opcodeName } from '../observer.ts';
import { gethReason } from './error-words.ts';
import { MemoryWords, StackTexts, stepSize, type TouchedSlots, TouchedStorage } from './step-recording.ts';
import type { TraceBudget, Tracer } from './tracer.ts';

/** The options of the struct logger for each step. */
export interface StructLoggerOptions {
  readonly memory: boolean;
  readonly stack: boolean;
  readonly storage: boolean;
  readonly returnData: boolean;
  /** The maximum number of steps to show; 0 for all. */
  readonly limit: number;
}

/** One step, in geth's form. */
export interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  /** 1 in the outermost frame. */
  readonly depth: number;
  readonly error?: string;
  /** QUANTITY, the top last. */
  readonly stack?: readonly string[];
  readonly returnData?: string;
  readonly memory?: readonly string[];
  readonly storage?: TouchedSlots;
  readonly refund?: number;
}

type GrowingLog = { -readonly [Name in keyof StructLog]: StructLog[Name] };

/** The steps of an execution and its end, in geth's form. */
export interface StructTrace {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly StructLog[];
}

/**
 * Each step of an execution with stack, memory and storage: the default form of debug_traceTransaction in Ethereum's
 * nodes. Stack items are QUANTITY; words of memory and storage are 64 digits without `0x`; storage is shown with SLOAD
 * and SSTORE only. Unlike in geth, a step that violates any rule has an `error`. Throws `TraceTooLargeError` when the
 * trace grows too large.
 */
export class StructLogger implements Tracer<StructTrace> {
  readonly #options: StructLoggerOptions;
  readonly #logs: StructLog[] = [];
  readonly #memory = new MemoryWords();
  readonly #stack = new StackTexts((item) => `0x${item.toString(16)}`);
  readonly #storage = new TouchedStorage();
  readonly #budget: TraceBudget;
  #last: GrowingLog | undefined;

  constructor(options: StructLoggerOptions, budget: TraceBudget) {
    this.#options = options;
    this.#budget = budget;
  }

  frameStart(): void {
    this.#memory.open();
    this.#stack.open();
  }

  frameEnd(): void {
    this.#memory.close();
    this.#stack.close();
  }

  step(step: ExecutionStep): void {
    const { memory, stack, storage, returnData, limit } = this.#options;
    this.#last = undefined;
    if (limit > 0 && this.#logs.length >= limit) return;
    const log: GrowingLog = {
      pc: step.pc,
      op: opcodeName(step.opcode),
      gas: Number(step.gas),
      gasCost: Number(step.gasCost),
      depth: step.depth + 1,
    };
    if (stack) log.stack = this.#stack.before(step);
    if (returnData) log.returnData = toHex(step.returnData());
    if (memory) log.memory = this.#memory.before(step.opcode, () => step.memory());
    const slots = storage ? this.#storage.touch(step) : undefined;
    if (slots !== undefined) log.storage = slots;
    if (step.refund > 0n) log.refund = Number(step.refund);
    this.#budget.spend(stepSize(log) + (log.returnData?.length ?? 0));
    this.#logs.push(log);
    this.#last = log;
  }

  fault(reason: string): void {
    if (this.#last !== undefined) this.#last.error = gethReason(reason);
  }

  result(execution: ExecutionResult, _after: Overlay, pieces: WorkPieces): Awaitable<StructTrace> {
    return whenReady(runTask(hexInPieces(execution.returnData, pieces)), (returnValue) => ({
      gas: Number(execution.gasUsed),
      failed: execution.outcome !== 'success',
      returnValue,
      structLogs: this.#logs,
    }));
  }
}
