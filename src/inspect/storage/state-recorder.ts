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
/** The number of writers of a slot to keep before the first search for writes that no longer count. */
const MIN_WRITERS = 16;

/** The last value that one frame wrote to a slot. */
export interface SlotWrite {
  readonly frame: number;
  readonly value: bigint;
}

/** The writes to a slot that can be its value after the end, or after the failure, of the open frames. */
export interface WritesOfSlot {
  /** Oldest first. */
  readonly writes: readonly SlotWrite[];
}

/** The writes to an account's slots, by slot (64 digits). */
export type WritesOfAccount = ReadonlyMap<string, WritesOfSlot>;

interface RecordedSlot {
  writes: SlotWrite[];
  /** The largest number of writes that the budget counts. */
  paid: number;
}

/** The states before and after an execution, and its writes. */
export interface RecordedState {
  readonly before: WorldState;
  readonly after: WorldState;
  /** By address (40 digits). Includes writes of failed frames. */
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
  readonly #writes = new Map<string, Map<string, RecordedSlot>>();
  readonly #transientWrites = new Map<string, Map<string, RecordedSlot>>();
  readonly #preimages = new Preimages();
  readonly #parents: number[] = [];
  readonly #outcomes: ('open' | 'success' | 'failure')[] = [];
  readonly #open: number[] = [];

  constructor(subject: TraceSubject) {
    this.#subject = subject;
    this.#budget = subject.budget;
  }

  frameStart(): void {
    this.#parents.push(this.#open.at(-1) ?? -1);
    this.#open.push(this.#outcomes.push('open') - 1);
  }

  frameEnd({ outcome }: FrameEnd): void {
    const index = this.#open.pop();
    if (index !== undefined) this.#outcomes[index] = outcome === 'success' ? 'success' : 'failure';
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

  #written(all: Map<string, Map<string, RecordedSlot>>, step: ExecutionStep): void {
    const frame = this.#open.at(-1);
    const [slot, value] = [step.stackItem(0), step.stackItem(1)];
    if (frame === undefined || slot === undefined || value === undefined) return;
    const account = hexKey(step.address);
    const ofAccount = all.get(account) ?? new Map<string, RecordedSlot>();
    all.set(account, ofAccount);
    const key = hexKey(bigIntToFixedBytes(slot, WORD));
    let ofSlot = ofAccount.get(key);
    if (ofSlot === undefined) {
      this.#budget.spend(CHANGE_SIZE);
      ofSlot = { writes: [], paid: 1 };
      ofAccount.set(key, ofSlot);
    }
    const { writes } = ofSlot;
    // This write replaces the writes of the frame and of its inner frames, which have ended.
    while ((writes.at(-1)?.frame ?? -1) >= frame) writes.pop();
    writes.push({ frame, value });
    const { length } = writes;
    const isPowerOfTwo = (length & (length - 1)) === 0;
    if (length >= MIN_WRITERS && isPowerOfTwo) ofSlot.writes = this.#current(writes);
    if (ofSlot.writes.length <= ofSlot.paid) return;
    this.#budget.spend(WRITE_SIZE);
    ofSlot.paid = ofSlot.writes.length;
  }

  /** Returns the writes that were not reverted. Omits a write if a later one replaces it in any case. */
  #current(writes: readonly SlotWrite[]): SlotWrite[] {
    const byOpenFrame = new Map<number, SlotWrite>();
    for (const write of writes) {
      const frame = this.#openAround(write.frame);
      if (frame !== null) byOpenFrame.set(frame, write);
    }
    return [...byOpenFrame.values()];
  }

  /** Returns the innermost open frame around a frame, or itself; `null` if the frame was reverted. */
  #openAround(frame: number): number | null {
    let at = frame;
    while (this.#outcomes[at] === 'success') at = this.#parents[at] ?? -1;
    return this.#outcomes[at] === 'open' ? at : null;
  }

  /** By index of the frame: true if its changes were not reverted until now. */
  lasting(): boolean[] {
    const lasting: boolean[] = [];
    // A parent has a lower index than its inner frames.
    for (const [index, outcome] of this.#outcomes.entries()) {
      const parent = this.#parents[index] ?? -1;
      lasting.push(outcome !== 'failure' && (parent === -1 || lasting[parent] === true));
    }
    return lasting;
  }

  /** Returns the record. Call it once, after the execution. */
  *result({ outcome }: ExecutionResult, after: Overlay): Steps<RecordedState> {
    const lasting = this.lasting();
    if (outcome !== 'success') lasting.fill(false);
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
