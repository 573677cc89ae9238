// The thread of key recoveries, seen from the main one. Its module is loaded with the first burst of signatures.

import { Worker } from 'node:worker_threads';
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

/** A thread that recovers keys. It keeps the process alive as long as somebody waits for it. */
export class RecoveryThread {
  readonly #ring = new RecoveryRing();
  readonly #worker: Worker;
  /** In the order in which they were asked. */
  #waiting: Waiting[] = [];
  #answered = 0;
  #isReady = false;
  isOver = false;
  /** True when it ended by itself. */
  hasFailed = false;

  constructor(script = WORKER_SCRIPT) {
    this.#worker = new Worker(script, {
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
    this.hasFailed ||= !this.isOver;
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
