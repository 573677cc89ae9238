import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { keyOf } from '../../primitives/hex.ts';
import type { ExecutionStep } from '../observer.ts';

const SLOAD = 0x54;
const SSTORE = 0x55;

/** The slots of one contract that were touched: 64 digits each without `0x`, as are the values. */
export type TouchedSlots = Readonly<Record<string, string>>;

function digitsOf(word: bigint): string {
  return word.toString(16).padStart(64, '0');
}

/** The storage that an execution has touched so far, by contract. */
export class TouchedStorage {
  readonly #contracts = new Map<string, Record<string, string>>();

  /**
   * Takes note of the slot that the step reads or is about to write. Gives all slots of the contract touched so far,
   * or `undefined` for a step that touches none.
   */
  touch(step: ExecutionStep): TouchedSlots | undefined {
    if (step.opcode !== SLOAD && step.opcode !== SSTORE) return undefined;
    const slot = step.stackItem(0);
    const written = step.opcode === SSTORE ? step.stackItem(1) : undefined;
    if (slot === undefined || (step.opcode === SSTORE && written === undefined)) return undefined;
    const key = keyOf(step.address);
    const value =
      written === undefined
        ? keyOf(padLeft(step.storageAt(bigIntToFixedBytes(slot, 32)), 32))
        : digitsOf(written);
    const slots = { ...this.#contracts.get(key), [digitsOf(slot)]: value };
    this.#contracts.set(key, slots);
    return slots;
  }

  /** All slots of a contract (20 bytes) touched so far. */
  of(address: Uint8Array): TouchedSlots {
    return this.#contracts.get(keyOf(address)) ?? {};
  }
}
