import { TooManyCallsError } from './errors.ts';

/** How much long work may be in hand. */
export interface CallLimits {
  /** Calls of one lane that run at the same time. */
  readonly perLane: number;
  /** Calls of all lanes together. A lane on which none runs has room for one whatever the others do. */
  readonly inAll: number;
  /** Calls of one lane that wait until they may run. */
  readonly waitingPerLane: number;
}

/** Each call in hand holds an interpreter with its memory. */
export const CALL_LIMITS: CallLimits = { perLane: 8, inAll: 32, waitingPerLane: 1_000 };

/** A call that waits for a slot. */
export interface SlotWaiter {
  /** Called once with a slot that is its own from then on. */
  begin(): void;
}

interface LaneSlots {
  inHand: number;
  readonly waiting: Set<SlotWaiter>;
}

/**
 * Bounds the long calls in hand: those that could not be answered within a slice of time. Calls beyond the bound wait, the
 * lanes come one after the other, and within a lane the call that has waited longest.
 */
export class CallSlots {
  readonly #limits: CallLimits;
  readonly #lanes = new WeakMap<object, LaneSlots>();
  /** The lanes in which calls wait, the one whose turn it is first. */
  readonly #waitingLanes: LaneSlots[] = [];
  #inHand = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a slot of the lane: true when there is one, else `waiter` gets one later. Throws {@link TooManyCallsError} when
   * as many wait as may.
   */
  take(lane: object, waiter: SlotWaiter): boolean {
    const slots = this.#slotsOf(lane);
    if (slots.waiting.size === 0 && this.#hasRoom(slots)) {
      this.#occupy(slots);
      return true;
    }
    const { waitingPerLane } = this.#limits;
    if (slots.waiting.size >= waitingPerLane) throw new TooManyCallsError(slots.inHand, waitingPerLane);
    if (slots.waiting.size === 0) this.#waitingLanes.push(slots);
    slots.waiting.add(waiter);
    return false;
  }

  /** Takes a call out of the queue that does not want a slot any more. */
  cancel(lane: object, waiter: SlotWaiter): void {
    const slots = this.#slotsOf(lane);
    if (slots.waiting.delete(waiter) && slots.waiting.size === 0) {
      this.#waitingLanes.splice(this.#waitingLanes.indexOf(slots), 1);
    }
  }

  /** Gives back a slot of the lane. */
  release(lane: object): void {
    this.#slotsOf(lane).inHand--;
    this.#inHand--;
    this.#admit();
  }

  #slotsOf(lane: object): LaneSlots {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const slots = { inHand: 0, waiting: new Set<SlotWaiter>() };
    this.#lanes.set(lane, slots);
    return slots;
  }

  #hasRoom({ inHand }: LaneSlots): boolean {
    const { perLane, inAll } = this.#limits;
    return inHand === 0 || (inHand < perLane && this.#inHand < inAll);
  }

  #occupy(slots: LaneSlots): void {
    slots.inHand++;
    this.#inHand++;
  }

  #admit(): void {
    for (let passed = this.#waitingLanes.length; passed > 0; passed--) {
      const slots = this.#waitingLanes.shift();
      if (slots === undefined) return;
      const [waiter] = slots.waiting;
      if (waiter !== undefined && this.#hasRoom(slots)) {
        slots.waiting.delete(waiter);
        this.#occupy(slots);
        waiter.begin();
      }
      if (slots.waiting.size > 0) this.#waitingLanes.push(slots);
    }
  }
}
