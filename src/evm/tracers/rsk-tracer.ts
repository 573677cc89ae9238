// The step tracer of Rootstock's nodes (rskj).

import { hexKey } from '../../primitives/hex.ts';
import { ready, type Steps } from '../../primitives/steps.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameStart } from '../observer.ts';
import { opcodeName } from '../observer.ts';
import {
  MemoryWords,
  memoryWords,
  StackItems,
  stepSize,
  type TouchedSlots,
  TouchedStorage,
} from './step-recording.ts';
import type { TraceBudget, Tracer } from './tracer.ts';

export interface RskTracerOptions {
  readonly memory: boolean;
  readonly stack: boolean;
  readonly storage: boolean;
}

interface NetworkStep {
  readonly op: string;
  /** 0 in the outermost frame. */
  readonly depth: number;
  readonly pc: number;
  readonly gas: number;
  readonly gasCost: number;
  readonly memory?: readonly string[];
  readonly stack?: readonly string[];
  readonly storage?: TouchedSlots;
}

/**
 * Each step of an execution in rskj's format: hex without `0x`, and numbers as JSON numbers. `storage` and
 * `currentStorage` contain the slots touched so far. `error` is the halt reason of the outermost frame. An
 * execution without code has the format of a plain transfer. Throws `TraceTooLargeError` if the trace exceeds
 * the budget.
 */
export class RskTracer implements Tracer {
  readonly #options: RskTracerOptions;
  readonly #steps: NetworkStep[] = [];
  readonly #memory = new MemoryWords(memoryWords);
  readonly #stack = new StackItems((item) => item.toString(16).padStart(64, '0'));
  readonly #storage = new TouchedStorage();
  readonly #budget: TraceBudget;
  #outermost: FrameStart | undefined;

  constructor(options: RskTracerOptions, budget: TraceBudget) {
    this.#options = options;
    this.#budget = budget;
  }

  frameStart(start: FrameStart): void {
    this.#outermost ??= { ...start, input: start.input.slice() };
    this.#memory.open();
    this.#stack.open();
  }

  frameEnd(): void {
    this.#memory.close();
    this.#stack.close();
  }

  step(step: ExecutionStep): void {
    const { memory, stack, storage } = this.#options;
    const touched = storage ? (this.#storage.touch(step) ?? this.#storage.of(step.address)) : undefined;
    const networkStep: NetworkStep = {
      op: opcodeName(step.opcode),
      depth: step.depth,
      pc: step.pc,
      gas: Number(step.gas),
      gasCost: Number(step.gasCost),
      ...(memory ? { memory: this.#memory.before(step.opcode, () => step.memory()) } : {}),
      ...(stack ? { stack: this.#stack.before(step).slice() } : {}),
      ...(touched === undefined ? {} : { storage: touched }),
    };
    this.#budget.spend(stepSize(networkStep));
    this.#steps.push(networkStep);
  }

  result(execution: ExecutionResult): Steps<unknown> {
    return ready(this.#trace(execution));
  }

  #trace({ outcome, haltReason, returnData }: ExecutionResult): unknown {
    const outermost = this.#outermost;
    if (outermost === undefined || this.#steps.length === 0) return plainTransfer(outermost);
    const currentStorage = this.#storage.of(outermost.to);
    return {
      contractAddress: hexKey(outermost.to),
      initStorage: {},
      structLogs: this.#steps,
      result: hexKey(returnData),
      error: haltReason ?? '',
      reverted: outcome === 'revert',
      storageSize: Object.keys(currentStorage).length,
      currentStorage,
    };
  }
}

function plainTransfer(frame: FrameStart | undefined): unknown {
  return {
    programInvoke: null,
    transferInvoke:
      frame === undefined
        ? null
        : {
            ownerAddress: hexKey(frame.to),
            callerAddress: hexKey(frame.from),
            gas: Number(frame.gas),
            callValue: (frame.value ?? 0n).toString(),
            msgData: Buffer.from(frame.input).toString('base64'),
          },
    subtraces: [],
    result: null,
    error: null,
    reverted: false,
  };
}
