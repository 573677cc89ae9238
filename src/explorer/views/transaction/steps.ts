/** The steps of a page, as the node reports them, and the storage at one of them. */

import type { DecodedParameter } from '../../inspection.ts';

type Slot = readonly [slot: string, value: string];

/** An opcode, before it is executed. */
export interface Step {
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly stack: readonly string[];
  readonly memory?: readonly string[];
  /** The slot that it reads or writes, with the value that it reads or writes. */
  readonly slot?: Slot;
  /** The value before a write; absent for a read. */
  readonly slotBefore?: string;
  /** The slots that have their earlier values again at this step, as calls failed since the step before. */
  readonly undone?: readonly (readonly [address: string, slot: string, value: string])[];
  /** Absent where they are those of the step before; `null` where nothing says where they lie. */
  readonly variables?: readonly DecodedParameter[] | null;
  readonly error?: string;
}

/** A call of the transaction. */
export interface Frame {
  readonly type: string;
  readonly depth: number;
  readonly address: string;
  /** The account whose storage its code uses. */
  readonly storageAddress: string;
  readonly contract: string | null;
}

/** The opcodes of a page. */
export interface StepsOfPage {
  readonly steps: readonly Step[];
  /** By account, the slots that were touched before the page, those touched last at the end. */
  readonly storage: Readonly<Record<string, readonly Slot[]>>;
  /** The number of slots of one account that `storage` has at most. */
  readonly storageLimit: number;
}

/**
 * Returns the slots that were touched up to a step, of the account whose storage the code of the step uses, with their values before the
 * step. The slot that the step itself touches is among them; those touched last come first.
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
