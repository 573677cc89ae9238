import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CheckInterrupt } from '../scheduling/interrupt.ts';
import type { SchedulerLane, Turns } from '../scheduling/scheduler.ts';
import type { Connection } from './connection.ts';
import { CallerGoneError, CallTimeoutError, TooManyCallsError } from './errors.ts';

/** The most long work that may be in hand. */
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

  /** True when another call of the lane would have to wait. */
  isFull(lane: object): boolean {
    if (this.#inHand < this.#limits.perLane) return false;
    const slots = this.#slotsOf(lane);
    return slots.waiting.size > 0 || !this.#hasRoom(slots);
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

/** The clock and the timers of requests. */
export interface RequestTime {
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** The bounds of the work of one request. */
export interface RequestBounds {
  readonly time: RequestTime;
  /** Seconds that the answer may take; 0 for any time. */
  readonly timeout: number;
  /** Milliseconds since 1970 at which its time began: that of its batch, if it is part of one. */
  readonly begunAt: number;
  /** The turns of the chain that is asked. */
  readonly turns: Turns & Partial<Pick<SchedulerLane, 'beginAgain'>>;
  readonly slots: CallSlots;
}

/** Settles as `awaited` does; rejects with `late()` when that takes longer than `milliseconds`. */
function within<Result>(
  milliseconds: number,
  awaited: Promise<Result>,
  late: () => Error,
  timers: Timers,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(milliseconds, () => reject(late()));
    awaited.finally(() => timer.cancel()).then(resolve, reject);
  });
}

/** Settles as `awaited` does; rejects with a {@link CallerGoneError} if the connection closes before. */
async function unlessGone<Result>(
  connection: Pick<Connection, 'onClose'>,
  awaited: Promise<Result>,
): Promise<Result> {
  let stopListening = (): void => undefined;
  const gone = new Promise<never>((_, reject) => {
    stopListening = connection.onClose(() => reject(new CallerGoneError()));
  });
  try {
    return await Promise.race([awaited, gone]);
  } finally {
    stopListening();
  }
}

/** The turns of one request: those of its chain, with a slot among the long calls in hand from the first one on. */
class RequestTurns implements Turns {
  readonly #connection: Pick<Connection, 'onClose'>;
  readonly #bounds: RequestBounds;
  #hasSlot = false;
  #hadShare = false;
  #isOver = false;
  /** Milliseconds that do not count for the time limit. */
  untimedFor = 0;
  /** Waits for a slot. */
  #waiter: SlotWaiter | undefined;

  constructor(connection: Pick<Connection, 'onClose'>, bounds: RequestBounds) {
    this.#connection = connection;
    this.#bounds = bounds;
  }

  held(): number {
    return this.#bounds.turns.held();
  }

  wait(): Promise<void> {
    return this.#bounds.turns.wait();
  }

  another(): Promise<void> | undefined {
    const { slots, turns } = this.#bounds;
    if (this.#hadShare || this.#hasSlot || this.#isOver || !slots.isFull(turns)) return undefined;
    this.#hadShare = true;
    return turns.beginAgain?.();
  }

  async untimed<Result>(awaited: Promise<Result>): Promise<Result> {
    const { clock } = this.#bounds.time;
    const since = clock.now();
    try {
      return await unlessGone(this.#connection, awaited);
    } finally {
      this.untimedFor += clock.now() - since;
    }
  }

  admission(): Promise<void> | undefined {
    if (this.#hasSlot || this.#isOver) return undefined;
    const { slots, turns } = this.#bounds;
    let begin = (): void => undefined;
    const waiter: SlotWaiter = { begin: () => begin() };
    if (slots.take(turns, waiter)) {
      this.#hasSlot = true;
      return undefined;
    }
    this.#waiter = waiter;
    return this.#admitted(
      waiter,
      new Promise((resolve) => {
        begin = () => {
          this.#waiter = undefined;
          this.#hasSlot = true;
          resolve();
        };
      }),
    );
  }

  async #admitted(waiter: SlotWaiter, begun: Promise<void>): Promise<void> {
    const { slots, turns, time, timeout, begunAt } = this.#bounds;
    const admitted = unlessGone(this.#connection, begun);
    try {
      if (timeout === 0) return await admitted;
      const left = Math.max(0, begunAt + timeout * 1_000 - time.clock.now());
      return await within(left, admitted, () => new CallTimeoutError(timeout), time.timers);
    } catch (error) {
      slots.cancel(turns, waiter);
      throw error;
    }
  }

  /** The request has been answered. Work of it that waits for a slot still gets none. */
  end(): void {
    this.#isOver = true;
    if (this.#waiter !== undefined) this.#bounds.slots.cancel(this.#bounds.turns, this.#waiter);
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.#bounds.slots.release(this.#bounds.turns);
  }
}

/**
 * Returns a check that throws {@link CallerGoneError} if the client has closed the connection. It is for work that changes the chain:
 * no time limit ends such work.
 */
export function clientCheck(connection: Pick<Connection, 'isClosed'>): () => void {
  return () => {
    if (connection.isClosed) throw new CallerGoneError();
  };
}

/** The check of one request, and its turns, which must be released when the request has been answered. */
export interface RequestInterrupt extends CheckInterrupt {
  readonly turns: RequestTurns;
}

/**
 * The check of one request: it throws {@link CallerGoneError} when the caller has closed the connection,
 * {@link CallTimeoutError} when the answer takes longer than it may. Waiting for a slot among the calls in hand rejects
 * with these too, and with `TooManyCallsError`.
 */
export function requestInterrupt(
  connection: Pick<Connection, 'isClosed' | 'onClose'>,
  bounds: RequestBounds,
): RequestInterrupt {
  const { time, timeout, begunAt } = bounds;
  const { clock, timers } = time;
  // Looked at now and then instead of timed: a timer for each request would cost more than most requests.
  const deadline = timeout === 0 ? Number.POSITIVE_INFINITY : begunAt + timeout * 1_000;
  const turns = new RequestTurns(connection, bounds);
  const during: CheckInterrupt['during'] =
    timeout === 0
      ? undefined
      : (awaited) =>
          within(
            Math.max(0, deadline + turns.untimedFor - clock.now()),
            awaited,
            () => new CallTimeoutError(timeout),
            timers,
          );
  const check = (): void => {
    if (connection.isClosed) throw new CallerGoneError();
    if (clock.now() > deadline + turns.untimedFor) throw new CallTimeoutError(timeout);
  };
  // Given one by one, which V8 does in a tenth of the time of Object.assign.
  check.turns = turns;
  check.during = during;
  return check;
}
