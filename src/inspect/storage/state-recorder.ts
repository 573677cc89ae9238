/** Records the state changes of an execution: which frames wrote each slot, and which keys were hashed. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd } from '../../evm/observer.ts';
import type { TraceBudget, TraceSubject } from '../../evm/tracers/tracer.ts';
import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import { MAX_PREIMAGE, Preimages } from './preimages.ts';

const { KECCAK256, SSTORE, TSTORE } = OPCODES;
const WORD = 32;
/** Characters of JSON per change of a slot. */
const CHANGE_SIZE = 300;
/** Characters of JSON for each further frame that writes the slot. */
const WRITE_SIZE = 100;
/** Maximum writers kept per slot; the most recent are kept. */
const MAX_WRITERS = 16;

/** The last value that one frame wrote to a slot. */
export interface SlotWrite {
  readonly frame: number;
  readonly value: bigint;
}

/** The writes to an account's slots, by slot (64 digits). */
export type WritesOfAccount = ReadonlyMap<string, readonly SlotWrite[]>;

/** The states before and after an execution, and its writes. */
export interface RecordedState {
  readonly before: WorldState;
  readonly after: WorldState;
  /** By address (40 digits). Includes the writes of failed frames. */
  readonly writes: ReadonlyMap<string, WritesOfAccount>;
  /** The writes to transient storage. */
  readonly transientWrites: ReadonlyMap<string, WritesOfAccount>;
  readonly preimages: Preimages;
  /** By index of the frame: true if its changes were not reverted. */
  readonly lasting: readonly boolean[];
}

/** Returns the input of a KECCAK256; `null` if it is too long for the hash of a slot. */
export function hashedInput(step: ExecutionStep): Uint8Array | null {
  const [offset, length] = [step.stackItem(0), step.stackItem(1)];
  if (offset === undefined || length === undefined || length > BigInt(MAX_PREIMAGE)) return null;
  const memory = step.memory();
  // Memory beyond its current size reads as zero.
  const bytes = new Uint8Array(Number(length));
  if (offset < BigInt(memory.length)) {
    const start = Number(offset);
    bytes.set(memory.subarray(start, start + bytes.length));
  }
  return bytes;
}

/** Observes opcodes that write slots or hash. Throws `TraceTooLargeError` if the record grows too large. */
export class StateRecorder implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set([KECCAK256, SSTORE, TSTORE]);
  readonly #subject: TraceSubject;
  readonly #budget: TraceBudget;
  readonly #writes = new Map<string, Map<string, SlotWrite[]>>();
  readonly #transientWrites = new Map<string, Map<string, SlotWrite[]>>();
  readonly #preimages = new Preimages();
  readonly #parents: number[] = [];
  readonly #succeeded: boolean[] = [];
  readonly #open: number[] = [];

  constructor(subject: TraceSubject) {
    this.#subject = subject;
    this.#budget = subject.budget;
  }

  frameStart(): void {
    this.#parents.push(this.#open.at(-1) ?? -1);
    this.#open.push(this.#succeeded.length);
    this.#succeeded.push(false);
  }

  frameEnd({ outcome }: FrameEnd): void {
    const index = this.#open.pop();
    if (index !== undefined) this.#succeeded[index] = outcome === 'success';
  }

  step(step: ExecutionStep): void {
    const { opcode } = step;
    if (opcode === KECCAK256) this.#hashed(step);
    else if (opcode === SSTORE) this.#written(this.#writes, step);
    else if (opcode === TSTORE) this.#written(this.#transientWrites, step);
  }

  #hashed(step: ExecutionStep): void {
    const bytes = hashedInput(step);
    if (bytes !== null) this.#preimages.add(bytes);
  }

  #written(all: Map<string, Map<string, SlotWrite[]>>, step: ExecutionStep): void {
    const frame = this.#open.at(-1);
    const [slot, value] = [step.stackItem(0), step.stackItem(1)];
    if (frame === undefined || slot === undefined || value === undefined) return;
    const account = hexKey(step.address);
    const ofAccount = all.get(account) ?? new Map<string, SlotWrite[]>();
    all.set(account, ofAccount);
    const key = hexKey(bigIntToFixedBytes(slot, WORD));
    const ofSlot = ofAccount.get(key) ?? [];
    if (ofSlot.length === 0) {
      this.#budget.spend(CHANGE_SIZE);
      ofAccount.set(key, ofSlot);
    }
    if (ofSlot.at(-1)?.frame === frame) ofSlot.pop();
    else if (ofSlot.length < MAX_WRITERS) this.#budget.spend(WRITE_SIZE);
    ofSlot.push({ frame, value });
    if (ofSlot.length > MAX_WRITERS) ofSlot.shift();
  }

  /** Returns the record. Call it once, after the execution. */
  *result({ outcome }: ExecutionResult, after: Overlay): Steps<RecordedState> {
    const lasting: boolean[] = [];
    // A parent has a lower index than its inner frames.
    for (const [index, hasSucceeded] of this.#succeeded.entries()) {
      const parent = this.#parents[index] ?? -1;
      lasting.push(hasSucceeded && (parent === -1 ? outcome === 'success' : lasting[parent] === true));
    }
    return {
      before: this.#subject.before,
      after: yield* after.toWorldStateInSteps(),
      writes: this.#writes,
      transientWrites: this.#transientWrites,
      preimages: this.#preimages,
      lasting,
    };
  }
}
