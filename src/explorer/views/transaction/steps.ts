/** A page of steps from the node, and the storage at one of them. */

import type { DecodedParameter } from '../../inspection.ts';

type Slot = readonly [slot: string, value: string];

/** One opcode, before its execution. */
export interface Step {
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly stack: readonly string[];
  readonly memory?: readonly string[];
  /** The slot that it reads or writes, with the value. */
  readonly slot?: Slot;
  /** The value before a write; absent for a read. */
  readonly slotBefore?: string;
  /** The slots that failed calls restored since the previous step. */
  readonly undone?: readonly (readonly [address: string, slot: string, value: string])[];
  /** Absent if they equal the variables of the previous step; `null` if unknown. */
  readonly variables?: readonly DecodedParameter[] | null;
  readonly error?: string;
}

export interface Frame {
  readonly type: string;
  readonly depth: number;
  readonly address: string;
  /** The account whose storage the code uses. */
  readonly storageAddress: string;
  readonly contract: string | null;
}

export interface StepsOfPage {
  readonly steps: readonly Step[];
  /** The slots touched before the page, by account. The most recent slot is last. */
  readonly storage: Readonly<Record<string, readonly Slot[]>>;
  /** Maximum slots per account in `storage`. */
  readonly storageLimit: number;
}

/**
 * Returns the touched slots of the step's storage account, with their values before the step. Includes the
 * slot that the step itself touches; the most recent slot is first.
 */
export function slotsAt({ steps, storage }: StepsOfPage, at: number, frames: readonly Frame[]): Slot[] {
  const accountOf = ({ frame }: Step): string | undefined => frames[frame]?.storageAddress;
  const current = steps.find(({ index }) => index === at);
  const account = current === undefined ? undefined : accountOf(current);
  if (account === undefined) return [];
  const slots = new Map<string, string>(storage[account]);
  for (const step of steps) {
    if (step.index > at) break;
    for (const [address, slot, value] of step.undone ?? []) if (address === account) slots.set(slot, value);
    if (step.slot === undefined || accountOf(step) !== account) continue;
    const [slot, value] = step.slot;
    slots.delete(slot);
    slots.set(slot, step.index === at ? (step.slotBefore ?? value) : value);
  }
  return [...slots].reverse();
}
