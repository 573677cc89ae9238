import { Worker } from 'node:worker_threads';
import type { Timers } from '../clock.ts';
import type { Awaitable } from '../task.ts';
import { curve } from './curve.ts';
import { RecoveryRing, SLOTS } from './recovery-ring.ts';
import type { Signature } from './secp256k1.ts';

declare const RECOVERY_WORKER: string | undefined;

/** The script of the thread; the sources take it from what was built. */
const WORKER_SCRIPT = new URL(
  typeof RECOVERY_WORKER === 'undefined'
    ? '../../../dist/primitives/secp256k1/recovery-worker.js'
    : RECOVERY_WORKER,
  import.meta.url,
);

/** Megabytes of the heap of the thread, which keeps nothing. */
const HEAP = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

/** The recovery that waits for its answer. */
interface Waiting {
  readonly hash: Uint8Array;
  readonly signature: Signature;
  readonly resolve: (key: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread, seen from the main one. It keeps the process alive as long as somebody waits for it. */
class RecoveryThread {
  readonly #ring = new RecoveryRing();
  readonly #worker: Worker;
  /** In the order in which they were asked. */
  #waiting: Waiting[] = [];
  #answered = 0;
  #isReady = false;
  isOver = false;

  constructor() {
    this.#worker = new Worker(WORKER_SCRIPT, {
      workerData: this.#ring.memory,
      resourceLimits: HEAP,
      env: {},
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', this.#take);
    // A thread that fails, for want of memory for example, leaves its work to this one.
    this.#worker.on('error', this.#giveUp);
    this.#worker.on('exit', this.#giveUp);
  }

  /** How many recoveries wait for it. */
  get load(): number {
    return this.#waiting.length;
  }

  /** True when it can be asked. */
  get isFree(): boolean {
    return this.#isReady && !this.isOver && this.#waiting.length < SLOTS;
  }

  ask(hash: Uint8Array, signature: Signature): Promise<Uint8Array> {
    if (this.#waiting.length === 0) this.#worker.ref();
    this.#ring.ask(hash, signature);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, signature, resolve, reject });
    });
  }

  readonly #take = (): void => {
    this.#isReady = true;
    const answered = this.#ring.answered();
    const count = (answered - this.#answered) | 0;
    const done = this.#waiting.splice(0, count);
    for (const [index, { resolve, reject }] of done.entries()) {
      const key = this.#ring.answer(this.#answered + index);
      if (key === undefined) reject(new Error('the signature belongs to no key'));
      else resolve(key);
    }
    this.#answered = answered;
    if (this.#waiting.length === 0) this.#worker.unref();
  };

  readonly #giveUp = (): void => {
    this.isOver = true;
    for (const { hash, signature, resolve, reject } of this.#waiting.splice(0)) {
      try {
        resolve(curve.recover(hash, signature));
      } catch (error) {
        reject(error);
      }
    }
  };

  end(): void {
    this.isOver = true;
    this.#ring.end();
  }
}

/** Recoveries beside others in one turn of the event loop after which a thread is begun: one takes as long as many of them. */
const WORTH_A_THREAD = 24;
/** A thread that was not asked for so many milliseconds is ended. */
const IDLE = 5_000;

/**
 * Recovers public keys: at once for those who ask one after the other, and on a thread of its own where several ask in the same
 * turn of the event loop, as half of what a signed transaction takes is this.
 */
export class KeyRecovery {
  readonly #timers: Timers;
  readonly #mayUseThread: boolean;
  #thread: RecoveryThread | null = null;
  /** True when somebody has asked in this turn of the event loop. */
  #isTurnTaken = false;
  #besideOthers = 0;
  #isUsed = false;

  /** `processors` are those that the process has; with one, a thread would only take turns with this one. */
  constructor(timers: Timers, processors: number) {
    this.#timers = timers;
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
    if (!isFirst && ++this.#besideOthers >= WORTH_A_THREAD) this.#begin();
    return null;
  }

  readonly #endTurn = (): void => {
    this.#isTurnTaken = false;
  };

  #begin(): void {
    this.#besideOthers = 0;
    this.#isUsed = true;
    const thread = new RecoveryThread();
    this.#thread = thread;
    const endWhenIdle = (): void => {
      if (!this.#isUsed && thread.load === 0) thread.end();
      this.#isUsed = false;
      if (!thread.isOver) this.#timers.after(IDLE, endWhenIdle);
    };
    this.#timers.after(IDLE, endWhenIdle);
  }
}
