// Tracers in JavaScript, with the interface of the other tracers.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { JsonLimitError, readJson } from '../../json/json-reader.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, nextIteration, unlessCancelled } from '../../scheduling/cancel-check.ts';
import { type Task, waitFor } from '../../scheduling/task.ts';
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

// Main-thread side of the tracer thread.

declare const TRACER_THREAD: string | undefined;

/** The script of the thread. Sources use the built file. */
const THREAD_SCRIPT = new URL(
  typeof TRACER_THREAD === 'undefined' ? '../../../dist/evm/javascript-tracer/thread.js' : TRACER_THREAD,
  import.meta.url,
);

/** Limits of a thread in megabytes: the JavaScript heap (without the sandbox) and the stack. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };

/** Ends a job with an error. */
type Fail = (error: unknown) => void;

/** A worker thread that traces one message after the other. */
class TracerThread {
  readonly #worker: Worker;
  readonly #questions: MessagePort;
  readonly #signal: Int32Array;
  /** The subject of the current job, the listener for its messages, and the function that rejects it. */
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
    // Only the JavaScript heap of the thread is limited: the data of the engine and the tracer.
    this.#worker.on('error', (error: Error & { readonly code?: string }) =>
      this.#fail(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new TracerFailedError('it exceeds the memory limit of tracers')
          : error,
      ),
    );
  }

  /**
   * Resolves to the result of the job. `onBegun` is called when the job starts. Rejects with the error of a
   * chain read or of the check.
   */
  async run(
    subject: TraceSubject,
    job: TraceJob,
    checkCancelled: CancelCheck,
    onBegun: (quickJs: WebAssembly.Module) => void,
  ): Promise<TraceAnswer> {
    this.#subject = subject;
    const answered = new Promise<TraceAnswer>((resolve, reject) => {
      this.#fail = reject;
      this.#hear = (message) => (message.kind === 'begun' ? onBegun(message.quickJs) : resolve(message));
    });
    this.#worker.postMessage(job);
    return unlessCancelled(answered, checkCancelled);
  }

  /** Ends the current job with an error. */
  fail(error: unknown): void {
    this.#fail(error);
  }

  /** Terminates the thread immediately. */
  async end(): Promise<void> {
    this.#questions.close();
    await this.#worker.terminate();
  }

  async #answer(question: Question): Promise<void> {
    // One response per turn of the event loop, so that a tracer with endless requests does not block other
    // work.
    await nextIteration();
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

/** Maximum nesting of arrays and objects in a trace. */
const DEEPEST_TRACE = 10_000;
/** Maximum number of members of an object in a trace. */
const MAX_MEMBERS = 2 ** 17;

/** The tracer, rules and limits shared by all traces of a request. */
interface ScriptTracingOptions {
  readonly script: TracerScript;
  readonly rules: TracedRules;
  readonly threads: TracerThreads;
  /** The lane whose thread slot is used. */
  readonly lane: unknown;
  readonly checkCancelled: CancelCheck;
  /** Measures the duration of each trace for the check; `null` without a timeout. */
  readonly timeout: { begin(): void; end(): void } | null;
}

/**
 * Creates the traces of one request with a JavaScript tracer, one after the other. The first trace starts the
 * thread. Call {@link end} after the request.
 */
export class ScriptTracing {
  readonly #options: ScriptTracingOptions;
  #thread: TracerThread | null = null;
  #endedWith: { readonly error: unknown } | null = null;

  constructor(options: ScriptTracingOptions) {
    this.#options = options;
  }

  /** Creates a tracer whose `result` rejects with `NotATracerError` or {@link TracerFailedError}. */
  readonly createTracer: TracerFactory = (subject) =>
    hasNoEngine(subject) ? new RecordedTracer(subject, this) : new RunningTracer(subject, this);

  /**
   * Creates the trace of a message. `events` are the recorded events of a message that no engine executes.
   * `ended` lists contracts destroyed earlier in the block.
   */
  *trace(
    subject: TraceSubject,
    events: readonly RecordedEvent[] | null,
    { gasUsed }: ExecutionResult,
    ended: readonly Uint8Array[] = [],
  ): Task<unknown> {
    const { script, rules, threads, checkCancelled, timeout } = this.#options;
    const { message, position } = subject;
    const { blockHash: _, ancestor: __, ...plain } = subject.environment;
    const environment = { ...plain, ended };
    const thread = yield* waitFor(this.#begun());
    const job = { script, rules, environment, message, position, events };
    const running = thread.run(subject, job, checkCancelled, (quickJs) => {
      threads.quickJs ??= quickJs;
      timeout?.begin();
    });
    const answer = yield* waitFor(running);
    timeout?.end();
    const json = jsonIn(answer);
    if (answer.kind === 'trace' && events === null && answer.gasUsed !== gasUsed)
      throw new Error(`the message used ${answer.gasUsed} gas with the tracer, but ${gasUsed} without it`);
    subject.budget.spend(json.length);
    try {
      return yield* readJson(json, { levels: DEEPEST_TRACE, members: MAX_MEMBERS });
    } catch (error) {
      if (error instanceof JsonLimitError || error instanceof SyntaxError)
        throw new TracerFailedError(`its result cannot be returned: ${error.message}`);
      throw error;
    }
  }

  /** Ends the current job with an error. */
  fail(error: unknown): void {
    this.#endedWith = { error };
    this.#thread?.fail(error);
  }

  /** Terminates the thread and releases its slot. */
  end(): void {
    const thread = this.#thread;
    this.#thread = null;
    if (thread !== null)
      void thread.end().finally(() => this.#options.threads.slots.give(this.#options.lane));
  }

  async #begun(): Promise<TracerThread> {
    const { threads, lane, checkCancelled } = this.#options;
    if (this.#thread === null) {
      await checkCancelled.yielder?.admission?.();
      await threads.slots.take(lane, checkCancelled);
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

/** Returns true for the REMASC transaction at the end of a Rootstock block, because no engine executes it. */
function hasNoEngine({ message }: TraceSubject): boolean {
  return isSigned(message) && isRemascTransaction(message);
}

function isSigned(message: Message): message is Transaction {
  return 'v' in message && 'r' in message && 's' in message;
}

/** Makes the thread execute the message again, after it was executed without an observer. */
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

  result(execution: ExecutionResult): Task<unknown> {
    return this.#tracing.trace(this.#subject, null, execution, this.#ended);
  }
}

/** Sends the observed frames to the thread. */
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

  result(execution: ExecutionResult): Task<unknown> {
    return this.#tracing.trace(this.#subject, this.#events, execution);
  }
}
