// The thread of tracers in JavaScript, seen from the main thread.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type CheckInterrupt, nextTurn, unlessInterrupted } from '../../primitives/interrupt.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { TraceSubject } from '../tracers/tracer.ts';
import {
  type Question,
  type QuestionAnswer,
  type ThreadMessage,
  type ThreadStart,
  type TraceAnswer,
  type TraceJob,
  TracerFailedError,
} from './trace-job.ts';

declare const TRACER_THREAD: string | undefined;

/** The script of the thread; the sources take it from what was built. */
const THREAD_SCRIPT = new URL(
  typeof TRACER_THREAD === 'undefined' ? '../../../dist/evm/javascript-tracer/thread.js' : TRACER_THREAD,
  import.meta.url,
);

/** Megabytes of the heap of a thread, which the sandbox is no part of, and of its stack. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };

/** Ends a job with an error. */
type Fail = (error: unknown) => void;

/** A thread that runs one message after the other, each with a tracer. */
export class TracerThread {
  readonly #worker: Worker;
  readonly #questions: MessagePort;
  readonly #signal: Int32Array;
  /** The subject of the job in hand, the function that hears of it, and the one that ends it. */
  #subject: TraceSubject | null = null;
  #hear: (message: ThreadMessage) => void = () => undefined;
  #fail: Fail = () => undefined;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#questions = port1;
    this.#signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadStart = { signal: this.#signal, questions: port2 };
    this.#worker = new Worker(THREAD_SCRIPT, {
      workerData,
      transferList: [port2],
      resourceLimits: THREAD_LIMITS,
      env: {},
      execArgv: [],
    });
    port1.on('message', (question: Question) => void this.#answer(question));
    this.#worker.on('message', (message: ThreadMessage) => this.#hear(message));
    // The limits of the thread are those of its heap, which holds what the engine and the tracer have in hand.
    this.#worker.on('error', (error: Error & { readonly code?: string }) =>
      this.#fail(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new TracerFailedError('it needs more memory than a tracer may have')
          : error,
      ),
    );
  }

  /** Resolves to what the thread answers; `onBegun` is called when it begins. Rejects with what a read of the chain rejects with, and with what the check throws. */
  async run(
    subject: TraceSubject,
    job: TraceJob,
    checkInterrupt: CheckInterrupt,
    onBegun: () => void,
  ): Promise<TraceAnswer> {
    this.#subject = subject;
    const answered = new Promise<TraceAnswer>((resolve, reject) => {
      this.#fail = reject;
      this.#hear = (message) => (message.kind === 'begun' ? onBegun() : resolve(message));
    });
    this.#worker.postMessage(job);
    return unlessInterrupted(answered, checkInterrupt);
  }

  /** Ends the job in hand with an error. */
  fail(error: unknown): void {
    this.#fail(error);
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#questions.close();
    await this.#worker.terminate();
  }

  async #answer(question: Question): Promise<void> {
    // One answer in each turn of the event loop: a tracer that asks without end does not hold other work up.
    await nextTurn();
    let answer: QuestionAnswer;
    try {
      answer = { value: await fetchingState(() => this.#read(question)) };
    } catch (error) {
      this.#fail(error);
      answer = { isFailure: true };
    }
    this.#questions.postMessage(answer);
    Atomics.store(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }

  #read(question: Question): unknown {
    const subject = this.#subject;
    if (subject === null) throw new Error('the thread asks without a job');
    const { before, environment, impersonatedSigner } = subject;
    switch (question.kind) {
      case 'account': {
        const account = before.account(question.address);
        if (account === undefined) return undefined;
        const { address, nonce, balance, code } = account;
        return { address, nonce, balance, code };
      }
      case 'storage':
        return before.storageAt(question.address, question.slot);
      case 'block hash':
        return environment.blockHash(question.number);
      case 'ancestor':
        return environment.ancestor(question.number);
      case 'signer':
        return impersonatedSigner(question.signature);
    }
  }
}
