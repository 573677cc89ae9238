// The memory that the main thread and the thread of key recoveries share.

import type { Signature } from './secp256k1.ts';
import { POINT_SIZE } from './secp256k1.ts';

const HASH_SIZE = 32;
const COMPACT_SIZE = 64;

/** Places of a slot, in bytes: the question, and the answer behind it. */
const COMPACT = HASH_SIZE;
const RECOVERY = COMPACT + COMPACT_SIZE;
const IS_FOUND = RECOVERY + 1;
const KEY = 104;
const SLOT_SIZE = KEY + POINT_SIZE;

/** Recoveries that are in hand at most. */
export const SLOTS = 128;

/** Indexes of the counters before the slots. */
const ASKED = 0;
const ANSWERED = 1;
const IS_TOLD = 2;
const IS_OVER = 3;
const COUNTERS_SIZE = 16;

/**
 * Questions and answers in slots that are used in turn. Messages between threads copy objects, which takes as long as a fifth of
 * a recovery; here they only wake the main thread, one for all answers that it has not seen.
 */
export class RecoveryRing {
  readonly memory: SharedArrayBuffer;
  readonly #counters: Int32Array;
  readonly #slots: Uint8Array;

  constructor(memory = new SharedArrayBuffer(COUNTERS_SIZE + SLOTS * SLOT_SIZE)) {
    this.memory = memory;
    this.#counters = new Int32Array(memory, 0, COUNTERS_SIZE / 4);
    this.#slots = new Uint8Array(memory, COUNTERS_SIZE);
  }

  #slot(count: number): number {
    // The counters wrap around at 2^32, of which the number of slots is a divisor.
    return (count & (SLOTS - 1)) * SLOT_SIZE;
  }

  /** Puts a question behind those that wait, of which there must be fewer than slots. */
  ask(hash: Uint8Array, { compact, recovery }: Signature): void {
    const count = Atomics.load(this.#counters, ASKED);
    const slot = this.#slot(count);
    this.#slots.set(hash, slot);
    this.#slots.set(compact, slot + COMPACT);
    this.#slots[slot + RECOVERY] = recovery;
    Atomics.store(this.#counters, ASKED, count + 1);
    Atomics.notify(this.#counters, ASKED);
  }

  /** Returns how many questions have been answered, modulo 2^32. Those who read it are told of the next answer again. */
  answered(): number {
    Atomics.store(this.#counters, IS_TOLD, 0);
    return Atomics.load(this.#counters, ANSWERED);
  }

  /** Returns the public key (64 bytes) that answers a question; `undefined` where there is none. */
  answer(count: number): Uint8Array | undefined {
    const slot = this.#slot(count);
    if (this.#slots[slot + IS_FOUND] === 0) return undefined;
    return Uint8Array.from(this.#slots.subarray(slot + KEY, slot + KEY + POINT_SIZE));
  }

  /** Lets {@link serve} return. */
  end(): void {
    Atomics.store(this.#counters, IS_OVER, 1);
    Atomics.notify(this.#counters, ASKED);
  }

  /**
   * Answers questions until the ring is ended, and waits where there are none. `recover` throws where no key is found; `tell`
   * is called after an answer, unless the last call has not been noticed yet.
   */
  serve(recover: (hash: Uint8Array, signature: Signature) => Uint8Array, tell: () => void): void {
    const counters = this.#counters;
    let count = Atomics.load(counters, ANSWERED);
    for (;;) {
      while (Atomics.load(counters, ASKED) === count) {
        if (Atomics.load(counters, IS_OVER) === 1) return;
        // A question that comes between the look and this is seen, since it changes what is compared.
        Atomics.wait(counters, ASKED, count);
        if (Atomics.load(counters, IS_OVER) === 1) return;
      }
      this.#answerWith(this.#slot(count), recover);
      count = (count + 1) | 0;
      Atomics.store(counters, ANSWERED, count);
      if (Atomics.exchange(counters, IS_TOLD, 1) === 0) tell();
    }
  }

  #answerWith(slot: number, recover: (hash: Uint8Array, signature: Signature) => Uint8Array): void {
    // Libraries take no views of shared memory.
    const question = Uint8Array.from(this.#slots.subarray(slot, slot + IS_FOUND));
    const compact = question.subarray(COMPACT, RECOVERY);
    try {
      const key = recover(question.subarray(0, HASH_SIZE), { compact, recovery: question[RECOVERY] ?? 0 });
      this.#slots.set(key, slot + KEY);
      this.#slots[slot + IS_FOUND] = 1;
    } catch {
      this.#slots[slot + IS_FOUND] = 0;
    }
  }
}
