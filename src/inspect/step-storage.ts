/**
 * Follows storage through the steps of an execution: the touched slots, their values before each step, and
 * the writes that failed frames undo.
 */

import type { ExecutionStep, Outcome } from '../evm/observer.ts';
import type { TraceBudget } from '../evm/tracers/tracer.ts';
import { bigIntToFixedBytes, padLeft } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';

/** A slot that a step reads or writes; slot and values have 64 hex digits. */
export interface TouchedSlot {
  /** The value that an SLOAD reads or an SSTORE writes. */
  readonly slot: readonly [slot: string, value: string];
  /** The value before an SSTORE; absent for an SLOAD. */
  readonly slotBefore?: string;
}

/** A slot whose earlier value is restored, because the frame that wrote it failed. */
export type UndoneSlot = readonly [address: string, slot: string, value: string];

/** The touched slots with their values, by account. The most recent slot is last. */
export type StorageOfAccounts = Readonly<Record<string, readonly (readonly [slot: string, value: string])[]>>;

const WORD_SIZE = 32;

/** Maximum slots per account to report for the steps before a page. */
export const MAX_SLOTS = 1_000;

/** Approximate characters of JSON per slot with its value, and with its account. */
const SLOT_SIZE = 140;
export const UNDONE_SIZE = 190;

const NO_SLOTS: readonly UndoneSlot[] = [];

/** Returns the slot that the step reads or will write; `null` if it touches none. */
function touchedSlot(step: ExecutionStep): TouchedSlot | null {
  if (step.opcode !== OPCODES.SLOAD && step.opcode !== OPCODES.SSTORE) return null;
  const slot = step.stackItem(0);
  const written = step.opcode === OPCODES.SSTORE ? step.stackItem(1) : undefined;
  if (slot === undefined || (step.opcode === OPCODES.SSTORE && written === undefined)) return null;
  const key = bigIntToFixedBytes(slot, WORD_SIZE);
  const name = hexKey(key);
  const value = hexKey(padLeft(step.storageAt(key), WORD_SIZE));
  if (written === undefined) return { slot: [name, value] };
  return { slot: [name, hexKey(bigIntToFixedBytes(written, WORD_SIZE))], slotBefore: value };
}

interface OpenFrame {
  /** The number of writes before the frame. */
  readonly start: number;
  /** The slots that the frame itself wrote, each with its account. */
  readonly written: Set<string>;
}

/** The storage that the steps have touched. Throws `TraceTooLargeError` if it grows too large. */
export class StepStorage {
  readonly #budget: TraceBudget;
  readonly #slots = new Map<string, Map<string, string>>();
  /** Each frame's first write of each slot, with the previous value, in order. */
  readonly #writes: UndoneSlot[] = [];
  readonly #open: OpenFrame[] = [];
  /** The slots that failed frames restored since the last step, by account and slot. */
  #undone = new Map<string, UndoneSlot>();

  constructor(budget: TraceBudget) {
    this.#budget = budget;
  }

  /** Call at the start of a frame. */
  open(): void {
    this.#open.push({ start: this.#writes.length, written: new Set() });
  }

  /** Call at the end of the innermost frame. A failed frame undoes its own and inner writes. */
  close(outcome: Outcome): void {
    const { start } = this.#open.pop() ?? { start: 0 };
    if (outcome === 'success') return;
    for (const write of this.#writes.splice(start).reverse()) {
      const [address, slot, value] = write;
      const slots = this.#slots.get(address);
      if (slots?.has(slot) !== true) continue;
      slots.set(slot, value);
      this.#undone.set(`${address}${slot}`, write);
    }
  }

  /**
   * Records and returns the slot that the step touches; `null` if it touches none. With `isBounded`, only the
   * most recent slots are kept.
   */
  touch(step: ExecutionStep, isBounded: boolean): TouchedSlot | null {
    const touched = touchedSlot(step);
    if (touched === null) return null;
    const address = toHex(step.address);
    const [slot, value] = touched.slot;
    if (touched.slotBefore !== undefined) this.#written([address, slot, touched.slotBefore]);
    const slots = this.#slots.get(address) ?? new Map<string, string>();
    this.#slots.set(address, slots);
    const isKnown = slots.delete(slot);
    slots.set(slot, value);
    if (!isBounded || slots.size <= MAX_SLOTS) {
      if (!isKnown) this.#budget.spend(SLOT_SIZE);
      return touched;
    }
    for (const oldest of slots.keys()) {
      slots.delete(oldest);
      break;
    }
    return touched;
  }

  #written(write: UndoneSlot): void {
    const written = this.#open.at(-1)?.written;
    const key = `${write[0]}${write[1]}`;
    if (written === undefined || written.has(key)) return;
    this.#budget.spend(UNDONE_SIZE);
    written.add(key);
    this.#writes.push(write);
  }

  /** Returns the distinct slots that failed frames restored since the last call. */
  takeUndone(): readonly UndoneSlot[] {
    if (this.#undone.size === 0) return NO_SLOTS;
    const undone = [...this.#undone.values()];
    this.#undone = new Map();
    return undone;
  }

  /** Returns a copy of all kept slots. */
  all(): StorageOfAccounts {
    return Object.fromEntries(Array.from(this.#slots, ([address, slots]) => [address, [...slots]]));
  }
}
