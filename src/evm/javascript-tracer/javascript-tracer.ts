// Tracers in JavaScript as other tracers are: created for an execution, asked for the trace when it has ended.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { JsonLimitError, readJson } from '../../json/json-reader.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CheckInterrupt, nextTurn, unlessInterrupted } from '../../scheduling/interrupt.ts';
import { runTask } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { ExecutionResult, Message } from '../engine.ts';
import { TracerFailedError } from '../errors.ts';
import type { FrameEnd, FrameStart, StateNow } from '../observer.ts';
import type { Tracer, TracerFactory, TraceSubject } from '../tracers/tracer.ts';
import {
  NotATracerError,
  type Question,
  type QuestionAnswer,
  type RecordedEvent,
  type ThreadMessage,
  type ThreadStart,
  type TraceAnswer,
  type TracedRules,
  type TraceJob,
  type TracerScript,
} from './trace-job.ts';
import type { TracerThreads } from './tracer-threads.ts';

// The thread of tracers in JavaScript, seen from the main thread.

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
class TracerThread {
  readonly #worker: Worker;
  readonly #questions: MessagePort;
  readonly #signal: Int32Array;
  /** The subject of the job in hand, the function that receives its messages, and the one that ends it. */
  #subject: TraceSubject | null = null;
  #hear: (message: ThreadMessage) => void = () => undefined;
  #fail: Fail = () => undefined;

  constructor(quickJs: WebAssembly.Module | null) {
    const { port1, port2 } = new MessageChannel();
    this.#questions = port1;
    this.#signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadStart = { signal: this.#signal, questions: port2, quickJs };
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
          ? new TracerFailedError('it exceeds the memory limit of tracers')
          : error,
      ),
    );
  }

  /** Resolves to what the thread answers; `onBegun` is called when it begins. Rejects with what a read of the chain rejects with, and with what the check throws. */
  async run(
    subject: TraceSubject,
    job: TraceJob,
    checkInterrupt: CheckInterrupt,
    onBegun: (quickJs: WebAssembly.Module) => void,
  ): Promise<TraceAnswer> {
    this.#subject = subject;
    const answered = new Promise<TraceAnswer>((resolve, reject) => {
      this.#fail = reject;
      this.#hear = (message) => (message.kind === 'begun' ? onBegun(message.quickJs) : resolve(message));
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
    if (subject === null) throw new Error('the thread sent a request without a job');
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
      case 'source contract':
        return before.sourceContract(question.address)?.isChanged;
      case 'source call':
        return before.sourceContract(question.address)?.call(question.call);
      case 'block hash':
        return environment.blockHash(question.number);
      case 'ancestor':
        return environment.ancestor(question.number);
      case 'signer':
        return impersonatedSigner(question.signature);
    }
  }
}

/** The depth to which arrays and objects can nest in a trace. */
const DEEPEST_TRACE = 10_000;
/** Members that an object of a trace can have. */
const MOST_MEMBERS = 2 ** 17;

/** The tracer, rules and limits that all traces of one request share. */
interface ScriptTracingOptions {
  readonly script: TracerScript;
  readonly rules: TracedRules;
  readonly threads: TracerThreads;
  /** The lane that the thread counts for. */
  readonly lane: unknown;
  readonly checkInterrupt: CheckInterrupt;
  /** Measures the time of each trace in the thread, for the check; `null` where it may take any. */
  readonly timeout: { begin(): void; end(): void } | null;
}

/**
 * Makes the traces of one request with a tracer in JavaScript, one after the other, in a thread that begins with the first of
 * them. {@link end} must be called when the request has been answered.
 */
export class ScriptTracing {
  readonly #options: ScriptTracingOptions;
  #thread: TracerThread | null = null;
  #endedWith: { readonly error: unknown } | null = null;

  constructor(options: ScriptTracingOptions) {
    this.#options = options;
  }

  /** Creates the tracer of an execution. Its `result` rejects with a `NotATracerError` or a {@link TracerFailedError}. */
  readonly createTracer: TracerFactory = (subject) =>
    hasNoEngine(subject) ? new RecordedTracer(subject, this) : new RunningTracer(subject, this);

  /** Makes the trace of a message; `events` are those of one that no engine runs, `ended` the contracts that ended earlier in the block. */
  async trace(
    subject: TraceSubject,
    events: readonly RecordedEvent[] | null,
    { gasUsed }: ExecutionResult,
    pieces: WorkPieces,
    ended: readonly Uint8Array[] = [],
  ): Promise<unknown> {
    const { script, rules, threads, checkInterrupt, timeout } = this.#options;
    const { message, position } = subject;
    const { blockHash: _, ancestor: __, ...plain } = subject.environment;
    const environment = { ...plain, ended };
    const thread = await this.#begun();
    const job = { script, rules, environment, message, position, events };
    const answer = await thread.run(subject, job, checkInterrupt, (quickJs) => {
      threads.quickJs ??= quickJs;
      timeout?.begin();
    });
    timeout?.end();
    const json = jsonIn(answer);
    if (answer.kind === 'trace' && events === null && answer.gasUsed !== gasUsed)
      throw new Error(`the message used ${answer.gasUsed} gas with the tracer, but ${gasUsed} without it`);
    subject.budget.spend(json.length);
    try {
      return await runTask(readJson(json, { levels: DEEPEST_TRACE, members: MOST_MEMBERS, pieces }));
    } catch (error) {
      if (error instanceof JsonLimitError || error instanceof SyntaxError)
        throw new TracerFailedError(`its result cannot be returned: ${error.message}`);
      throw error;
    }
  }

  /** Ends what is in hand with an error. */
  fail(error: unknown): void {
    this.#endedWith = { error };
    this.#thread?.fail(error);
  }

  /** Ends the thread, if there is one. */
  end(): void {
    const thread = this.#thread;
    this.#thread = null;
    if (thread !== null)
      void thread.end().finally(() => this.#options.threads.slots.give(this.#options.lane));
  }

  async #begun(): Promise<TracerThread> {
    const { threads, lane, checkInterrupt } = this.#options;
    if (this.#thread === null) {
      await checkInterrupt.turns?.admission?.();
      await threads.slots.take(lane, checkInterrupt);
      this.#thread = new TracerThread(threads.quickJs);
    }
    if (this.#endedWith !== null) throw this.#endedWith.error;
    return this.#thread;
  }
}

function jsonIn(answer: TraceAnswer): string {
  switch (answer.kind) {
    case 'trace':
      return answer.json;
    case 'no tracer':
      throw new NotATracerError(answer.reason);
    case 'failed tracer':
      throw new TracerFailedError(answer.reason);
    case 'unreadable':
      throw new Error('the thread failed to read a value; the reason is unknown');
    case 'bug':
      throw answer.error;
  }
}

/** True for the transaction that ends a block of the network, which no engine runs. */
function hasNoEngine({ message }: TraceSubject): boolean {
  return isSigned(message) && isRemascTransaction(message);
}

function isSigned(message: Message): message is Transaction {
  return 'v' in message && 'r' in message && 's' in message;
}

/** Lets the thread run the message once more, when it has run without being observed. */
class RunningTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #tracing: ScriptTracing;
  #ended: readonly Uint8Array[] = [];

  constructor(subject: TraceSubject, tracing: ScriptTracing) {
    this.#subject = subject;
    this.#tracing = tracing;
  }

  begin(_state: StateNow, ended: readonly Uint8Array[]): void {
    this.#ended = ended;
  }

  result(execution: ExecutionResult, _after: Overlay, pieces: WorkPieces): Promise<unknown> {
    return this.#tracing.trace(this.#subject, null, execution, pieces, this.#ended);
  }
}

/** Gives the thread the frames that it observed. */
class RecordedTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #tracing: ScriptTracing;
  readonly #events: RecordedEvent[] = [];

  constructor(subject: TraceSubject, tracing: ScriptTracing) {
    this.#subject = subject;
    this.#tracing = tracing;
  }

  frameStart(start: FrameStart): void {
    this.#events.push({ kind: 'start', start: { ...start, input: start.input.slice() } });
  }

  frameEnd(end: FrameEnd): void {
    this.#events.push({ kind: 'end', end: { ...end, output: end.output.slice() } });
  }

  result(execution: ExecutionResult, _after: Overlay, pieces: WorkPieces): Promise<unknown> {
    return this.#tracing.trace(this.#subject, this.#events, execution, pieces);
  }
}
