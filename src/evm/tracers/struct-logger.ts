// The default step tracer of Ethereum's nodes.

import { JsonList } from '../../json/json-list.ts';
import { withJsonList } from '../../json/json-writer.ts';
import { toHex } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep } from '../observer.ts';
import { opcodeName } from '../observer.ts';
import { gethReason } from './error-messages.ts';
import { MemoryWords, memoryJson, StackItems, type TouchedSlots, TouchedStorage } from './step-recording.ts';
import type { TraceBudget, Tracer } from './tracer.ts';

/** `padded` is the form of Hardhat 2: stack items have 64 digits, and each step has the storage touched so far. */
export type StepForm = 'geth' | 'padded';

export interface StructLoggerOptions {
  readonly form?: StepForm;
  readonly memory: boolean;
  readonly stack: boolean;
  readonly storage: boolean;
  readonly returnData: boolean;
  /** Maximum number of steps; 0 for no limit. */
  readonly limit: number;
}

const WORD_DIGITS = 64;

/** One step in geth's format. */
export interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  /** 1 in the outermost frame. */
  readonly depth: number;
  readonly error?: string;
  /** QUANTITY, with the top last; 64 hex digits without `0x` in the form `padded`. */
  readonly stack?: readonly string[];
  readonly returnData?: string;
  readonly memory?: readonly string[];
  readonly storage?: TouchedSlots;
  readonly refund?: number;
}

/** The trace in geth's format. */
export interface StructTrace {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  /** Parsed from JSON on first access; see `withJsonList`. */
  readonly structLogs: readonly StructLog[];
}

/**
 * Each step of an execution with stack, memory and storage (the default of debug_traceTransaction in geth).
 * Words of memory and storage have 64 hex digits without `0x`. In geth's form, stack items are QUANTITY, and
 * only SLOAD and SSTORE have storage. Unlike in geth, every step that violates a rule has an `error`. Throws
 * `TraceTooLargeError` if the trace exceeds the budget.
 */
export class StructLogger implements Tracer<StructTrace> {
  readonly #options: StructLoggerOptions;
  readonly #logs = new JsonList<StructLog>();
  readonly #memory = new MemoryWords(memoryJson);
  /** For each stack height, the JSON of all items up to it. */
  readonly #stack = new StackItems<string>((item, below) => {
    const digits = item.toString(16);
    const json = this.#options.form !== 'padded' ? `"0x${digits}"` : `"${digits.padStart(WORD_DIGITS, '0')}"`;
    return below === undefined ? json : `${below},${json}`;
  });
  readonly #storage = new TouchedStorage();
  readonly #budget: TraceBudget;
  /** The JSON of the last step without its end, because a fault may be added; empty if there is none. */
  #last = '';
  #fault: string | undefined;

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
    this.#endLast();
    if (limit > 0 && this.#logs.length >= limit) return;
    let json = `{"pc":${step.pc},"op":"${opcodeName(step.opcode)}","gas":${Number(step.gas)},"gasCost":${Number(step.gasCost)},"depth":${step.depth + 1}`;
    if (stack) json += `,"stack":[${this.#stack.before(step).at(-1) ?? ''}]`;
    if (returnData) json += `,"returnData":"${toHex(step.returnData())}"`;
    if (memory) json += `,"memory":${this.#memory.before(step.opcode, () => step.memory())}`;
    const slots = storage ? this.#slotsOf(step) : undefined;
    if (slots !== undefined) json += `,"storage":${JSON.stringify(slots)}`;
    if (step.refund > 0n) json += `,"refund":${Number(step.refund)}`;
    this.#budget.spend(json.length);
    this.#last = json;
  }

  #slotsOf(step: ExecutionStep): TouchedSlots | undefined {
    const touched = this.#storage.touch(step);
    return touched === undefined && this.#options.form === 'padded'
      ? this.#storage.of(step.address)
      : touched;
  }

  #endLast(): void {
    if (this.#last === '') return;
    this.#logs.add(
      this.#fault === undefined ? `${this.#last}}` : `${this.#last},"error":${JSON.stringify(this.#fault)}}`,
    );
    this.#last = '';
    this.#fault = undefined;
  }

  fault(reason: string): void {
    if (this.#last !== '') this.#fault = gethReason(reason);
  }

  *result(execution: ExecutionResult): Steps<StructTrace> {
    this.#endLast();
    const returnValue = yield* hexInSteps(execution.returnData);
    const facts = { gas: Number(execution.gasUsed), failed: execution.outcome !== 'success', returnValue };
    return withJsonList(facts, 'structLogs', this.#logs);
  }
}
