import type { Awaitable } from '../primitives/awaitable.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { RunQueue, Yielder } from '../scheduling/scheduler.ts';
import { runTask, type Task } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { Connection } from './connection.ts';
import { CallTimeoutError, ClientDisconnectedError, TooManyCallsError } from './errors.ts';

/** Limits of concurrent long requests. */
export interface CallLimits {
  /** Running requests per lane. */
  readonly perLane: number;
  /** Running requests of all lanes. A lane without a running request may always start one. */
  readonly inAll: number;
  /** Waiting requests per lane. */
  readonly waitingPerLane: number;
}

/** Each running request uses an interpreter and its memory. */
export const CALL_LIMITS: CallLimits = { perLane: 8, inAll: 32, waitingPerLane: 1_000 };

/** A request that waits for a slot. */
export interface SlotWaiter {
  /** Called once, when the waiter owns a slot. */
  begin(): void;
}

interface LaneSlots {
  running: number;
  readonly waiting: Set<SlotWaiter>;
}

/**
 * Limits the running long requests: requests that needed more than one time slice. Further requests wait.
 * Lanes take turns; within a lane, the oldest request is first.
 */
export class CallSlots {
  readonly #limits: CallLimits;
  readonly #lanes = new WeakMap<object, LaneSlots>();
  /** The lanes with waiting requests; the first one is next. */
  readonly #waitingLanes: LaneSlots[] = [];
  #running = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Takes a slot; false if `waiter` gets one later. Throws {@link TooManyCallsError} for a full queue. */
  take(lane: object, waiter: SlotWaiter): boolean {
    const slots = this.#slotsOf(lane);
    if (slots.waiting.size === 0 && this.#hasRoom(slots)) {
      this.#occupy(slots);
      return true;
    }
    const { waitingPerLane } = this.#limits;
    if (slots.waiting.size >= waitingPerLane) throw new TooManyCallsError(slots.running, waitingPerLane);
    if (slots.waiting.size === 0) this.#waitingLanes.push(slots);
    slots.waiting.add(waiter);
    return false;
  }

  /** True if another request of the lane would have to wait. */
  isFull(lane: object): boolean {
    if (this.#running < this.#limits.perLane) return false;
    const slots = this.#slotsOf(lane);
    return slots.waiting.size > 0 || !this.#hasRoom(slots);
  }

  /** Removes a request from the queue. */
  cancel(lane: object, waiter: SlotWaiter): void {
    const slots = this.#slotsOf(lane);
    if (slots.waiting.delete(waiter) && slots.waiting.size === 0) {
      this.#waitingLanes.splice(this.#waitingLanes.indexOf(slots), 1);
    }
  }

  /** Releases a slot of the lane. */
  release(lane: object): void {
    this.#slotsOf(lane).running--;
    this.#running--;
    this.#admit();
  }

  #slotsOf(lane: object): LaneSlots {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const slots = { running: 0, waiting: new Set<SlotWaiter>() };
    this.#lanes.set(lane, slots);
    return slots;
  }

  #hasRoom({ running }: LaneSlots): boolean {
    const { perLane, inAll } = this.#limits;
    return running === 0 || (running < perLane && this.#running < inAll);
  }

  #occupy(slots: LaneSlots): void {
    slots.running++;
    this.#running++;
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

export interface RequestTime {
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** The limits of one request. */
export interface RequestBounds {
  readonly time: RequestTime;
  /** Maximum seconds; 0 for no limit. */
  readonly timeout: number;
  /** Milliseconds since 1970 at the start of the request, or of its batch. */
  readonly begunAt: number;
  /** The time slices of the chain. */
  readonly yielder: Yielder & Partial<Pick<RunQueue, 'restart'>>;
  readonly slots: CallSlots;
}

/** Settles as `awaited` does. Rejects with `late()` after `milliseconds`. */
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

/** Settles as `awaited` does. Rejects with {@link ClientDisconnectedError} if the connection closes first. */
async function unlessGone<Result>(
  connection: Pick<Connection, 'onClose'>,
  awaited: Promise<Result>,
): Promise<Result> {
  let stopListening = (): void => undefined;
  const gone = new Promise<never>((_, reject) => {
    stopListening = connection.onClose(() => reject(new ClientDisconnectedError()));
  });
  try {
    return await Promise.race([awaited, gone]);
  } finally {
    stopListening();
  }
}

/** The time slices of one request. From its second slice on, the request needs a slot. */
class RequestYielder implements Yielder {
  readonly #connection: Pick<Connection, 'onClose'>;
  readonly #bounds: RequestBounds;
  #hasSlot = false;
  #hadShare = false;
  #isOver = false;
  /** Milliseconds that are excluded from the time limit. */
  untimedFor = 0;
  /** Waits for a slot. */
  #waiter: SlotWaiter | undefined;

  constructor(connection: Pick<Connection, 'onClose'>, bounds: RequestBounds) {
    this.#connection = connection;
    this.#bounds = bounds;
  }

  blockedFor(): number {
    return this.#bounds.yielder.blockedFor();
  }

  wait(): Promise<void> {
    return this.#bounds.yielder.wait();
  }

  preempted(): Promise<void> | undefined {
    const { slots, yielder } = this.#bounds;
    if (this.#hadShare || this.#hasSlot || this.#isOver || !slots.isFull(yielder)) return undefined;
    this.#hadShare = true;
    return yielder.restart?.();
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
    const { slots, yielder } = this.#bounds;
    let begin = (): void => undefined;
    const waiter: SlotWaiter = { begin: () => begin() };
    if (slots.take(yielder, waiter)) {
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
    const { slots, yielder, time, timeout, begunAt } = this.#bounds;
    const admitted = unlessGone(this.#connection, begun);
    try {
      if (timeout === 0) return await admitted;
      const left = Math.max(0, begunAt + timeout * 1_000 - time.clock.now());
      return await within(left, admitted, () => new CallTimeoutError(timeout), time.timers);
    } catch (error) {
      slots.cancel(yielder, waiter);
      throw error;
    }
  }

  /** Called after the response. Work of the request that still waits gets no slot. */
  end(): void {
    this.#isOver = true;
    if (this.#waiter !== undefined) this.#bounds.slots.cancel(this.#bounds.yielder, this.#waiter);
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.#bounds.slots.release(this.#bounds.yielder);
  }
}

/**
 * Returns a check that throws {@link ClientDisconnectedError} if the client has closed the connection. It is for work
 * that changes the chain, because that work has no time limit.
 */
export function clientCheck(connection: Pick<Connection, 'isClosed'>): () => void {
  return () => {
    if (connection.isClosed) throw new ClientDisconnectedError();
  };
}

/** The check of one request, which runs tasks of the request too. */
export interface RequestDeadline extends CancelCheck {
  /** Runs a task of the request in time slices. Synchronous if the task is short. */
  readonly run: <Result>(task: Task<Result>) => Awaitable<Result>;
}

/** Returns the check with a function that runs tasks. */
export function runsTasks(check: CancelCheck): RequestDeadline {
  return Object.assign(check, { run: <Result>(task: Task<Result>) => runTask(task, new TimeSlice(check)) });
}

/** The check of one request, and its time slices. Call `end` on them after the response. */
export interface RequestCheck extends RequestDeadline {
  readonly yielder: RequestYielder;
}

/**
 * Returns the check of one request. It throws {@link ClientDisconnectedError} if the client has closed the
 * connection, and {@link CallTimeoutError} after the time limit. Waiting for a slot also rejects with these
 * errors, and with `TooManyCallsError`.
 */
export function requestCheck(
  connection: Pick<Connection, 'isClosed' | 'onClose'>,
  bounds: RequestBounds,
): RequestCheck {
  const { time, timeout, begunAt } = bounds;
  const { clock, timers } = time;
  // Checked from time to time, because a timer per request would cost more than most requests.
  const deadline = timeout === 0 ? Number.POSITIVE_INFINITY : begunAt + timeout * 1_000;
  const yielder = new RequestYielder(connection, bounds);
  const during: CancelCheck['during'] =
    timeout === 0
      ? undefined
      : (awaited) =>
          within(
            Math.max(0, deadline + yielder.untimedFor - clock.now()),
            awaited,
            () => new CallTimeoutError(timeout),
            timers,
          );
  const check = (): void => {
    if (connection.isClosed) throw new ClientDisconnectedError();
    if (clock.now() > deadline + yielder.untimedFor) throw new CallTimeoutError(timeout);
  };
  // Set one by one, because V8 takes ten times as long for Object.assign.
  check.yielder = yielder;
  check.during = during;
  check.run = <Result>(task: Task<Result>) => runTask(task, new TimeSlice(check));
  return check;
}
