import type { Timers } from '../clock.ts';
import type { Awaitable } from '../task.ts';
import { curve } from './curve.ts';
import type { RecoveryThread } from './recovery-thread.ts';
import type { Signature } from './secp256k1.ts';

/** Recoveries beside others in one turn of the event loop after which a thread is begun: one takes as long as many of them. */
const WORTH_A_THREAD = 24;
/** A thread that was not asked for so many milliseconds is ended. */
const IDLE = 5_000;

async function startThread(): Promise<RecoveryThread> {
  const loaded = await import('./recovery-thread.ts');
  return new loaded.RecoveryThread();
}

/**
 * Recovers public keys: at once for those who ask one after the other, and on a thread of its own where several ask in the same
 * turn of the event loop, as half of what a signed transaction takes is this.
 */
export class KeyRecovery {
  readonly #timers: Timers;
  readonly #start: () => Promise<RecoveryThread>;
  #mayUseThread: boolean;
  #thread: RecoveryThread | null = null;
  /** True when somebody has asked in this turn of the event loop. */
  #isTurnTaken = false;
  #besideOthers = 0;
  #isBeginning = false;
  #isUsed = false;

  /**
   * `processors` are those that the process has; with one, a thread would only take turns with this one. `start` returns a new
   * thread.
   */
  constructor(timers: Timers, processors: number, start = startThread) {
    this.#timers = timers;
    this.#start = start;
    this.#mayUseThread = processors > 1;
  }

  /** Returns the key (64 bytes) as `Secp256k1.recover` does, or a promise of it. Throws, or rejects, where there is none. */
  readonly recover = (hash: Uint8Array, signature: Signature): Awaitable<Uint8Array> => {
    const thread = this.#mayUseThread ? this.#threadBesideOthers() : null;
    return thread === null ? curve.recover(hash, signature) : thread.ask(hash, signature);
  };

  /** Returns the thread where others have asked in this turn, or still wait for it; `null` where it is not to be asked. */
  #threadBesideOthers(): RecoveryThread | null {
    const isFirst = !this.#isTurnTaken;
    if (isFirst) {
      this.#isTurnTaken = true;
      setImmediate(this.#endTurn);
    }
    const thread = this.#thread;
    if (thread !== null && !thread.isOver) {
      if (!thread.isFree || (isFirst && thread.load === 0)) return null;
      this.#isUsed = true;
      return thread;
    }
    if (thread?.hasFailed === true) {
      // Another thread would most likely fail as well, and starting one takes as long as hundreds of recoveries.
      this.#mayUseThread = false;
      return null;
    }
    if (!isFirst && !this.#isBeginning && ++this.#besideOthers >= WORTH_A_THREAD) void this.#begin();
    return null;
  }

  readonly #endTurn = (): void => {
    this.#isTurnTaken = false;
  };

  async #begin(): Promise<void> {
    this.#isBeginning = true;
    let thread: RecoveryThread;
    try {
      thread = await this.#start();
    } catch {
      // Node's permission model may deny threads, and an update of the package may have removed the file meanwhile: all is
      // done on this thread then, more slowly.
      this.#mayUseThread = false;
      return;
    }
    this.#thread = thread;
    this.#isBeginning = false;
    this.#besideOthers = 0;
    this.#isUsed = true;
    const endWhenIdle = (): void => {
      if (!this.#isUsed && thread.load === 0) thread.end();
      this.#isUsed = false;
      if (!thread.isOver) this.#timers.after(IDLE, endWhenIdle);
    };
    this.#timers.after(IDLE, endWhenIdle);
  }
}
