import { type CancelCheck, unlessCancelled } from './cancel-check.ts';

/** The running threads and waiting traces of one lane. */
interface LaneThreads {
  readonly lane: unknown;
  running: number;
  /** In order of arrival. */
  readonly waiting: Set<() => void>;
}

/** Additional threads for lanes without a running one. */
const EXTRA_THREADS = 4;

/**
 * Limits the number of concurrent threads. A lane without a thread gets one even if all are in use, up to a
 * few extra ones. Waiting lanes take turns in sequence; within a lane, the oldest trace is next.
 */
export class ThreadSlots {
  readonly #count: number;
  #running = 0;
  readonly #lanes = new Map<unknown, LaneThreads>();
  /** The lanes with waiting traces, next one first. */
  readonly #waitingLanes: LaneThreads[] = [];

  /** `count` is the usual number of threads. */
  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Resolves when the caller has a slot. Rejects with the check's error if the client has disconnected. The
   * wait does not count towards the check's time limit.
   */
  async take(lane: unknown, checkCancelled: CancelCheck): Promise<void> {
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
      await (checkCancelled.yielder?.untimed?.(begun) ?? unlessCancelled(begun, checkCancelled));
    } catch (error) {
      // It may have got a slot in the same iteration of the event loop.
      if (!this.#cancel(threads, begin)) this.give(lane);
      throw error;
    }
  }

  /** Returns a slot of the lane. */
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

  /** Removes a trace from the queue. Returns false if it no longer waits. */
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
