import { type CheckInterrupt, unlessInterrupted } from './interrupt.ts';

/** The threads and the waiting traces of one lane. */
interface LaneThreads {
  readonly lane: unknown;
  running: number;
  /** The one that came first is the first. */
  readonly waiting: Set<() => void>;
}

/** Threads beyond the usual number, for lanes on which none runs. */
const EXTRA_THREADS = 4;

/**
 * Bounds the threads that run at the same time. A lane without a thread gets one even if the others have all, up to a few more. The
 * lanes that wait take turns, and within a lane the trace that has waited longest is next.
 */
export class ThreadSlots {
  readonly #count: number;
  #running = 0;
  readonly #lanes = new Map<unknown, LaneThreads>();
  /** The lanes in which traces wait, the one that is next first. */
  readonly #waitingLanes: LaneThreads[] = [];

  /** `count`: the usual number of threads. */
  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Resolves when there is a slot, which is the caller's from then on. Rejects with the error of the check if the client is gone
   * meanwhile. The time until then does not count for the time limit of the check.
   */
  async take(lane: unknown, checkInterrupt: CheckInterrupt): Promise<void> {
    const threads = this.#threadsOf(lane);
    if (threads.waiting.size === 0 && this.#hasRoom(threads)) {
      this.#occupy(threads);
      return;
    }
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    if (threads.waiting.size === 0) this.#waitingLanes.push(threads);
    threads.waiting.add(begin);
    try {
      await (checkInterrupt.turns?.untimed?.(begun) ?? unlessInterrupted(begun, checkInterrupt));
    } catch (error) {
      // It may have been given a slot in the same turn.
      if (!this.#cancel(threads, begin)) this.give(lane);
      throw error;
    }
  }

  /** Gives back a slot of the lane. */
  give(lane: unknown): void {
    const threads = this.#threadsOf(lane);
    threads.running--;
    this.#running--;
    this.#forgetIfIdle(threads);
    this.#admit();
  }

  #threadsOf(lane: unknown): LaneThreads {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const threads = { lane, running: 0, waiting: new Set<() => void>() };
    this.#lanes.set(lane, threads);
    return threads;
  }

  #hasRoom({ running }: LaneThreads): boolean {
    return this.#running < (running === 0 ? this.#count + EXTRA_THREADS : this.#count);
  }

  #occupy(threads: LaneThreads): void {
    threads.running++;
    this.#running++;
  }

  /** Takes a trace out of the queue; false if it does not wait any more. */
  #cancel(threads: LaneThreads, begin: () => void): boolean {
    if (!threads.waiting.delete(begin)) return false;
    if (threads.waiting.size === 0) this.#waitingLanes.splice(this.#waitingLanes.indexOf(threads), 1);
    this.#forgetIfIdle(threads);
    return true;
  }

  #forgetIfIdle({ lane, running, waiting }: LaneThreads): void {
    if (running === 0 && waiting.size === 0) this.#lanes.delete(lane);
  }

  #admit(): void {
    for (let passed = this.#waitingLanes.length; passed > 0; passed--) {
      const threads = this.#waitingLanes.shift();
      if (threads === undefined) return;
      const [begin] = threads.waiting;
      if (begin !== undefined && this.#hasRoom(threads)) {
        threads.waiting.delete(begin);
        this.#occupy(threads);
        begin();
      }
      if (threads.waiting.size > 0) this.#waitingLanes.push(threads);
    }
  }
}
