/**
 * Ends the process at a signal if its event loop is blocked. A signal handler runs in the event loop, so that
 * an endless loop would keep the process alive until SIGKILL. A second thread also receives the signals, and
 * requires an answer from the first thread. Without an answer in time, it ends the process without saving.
 */

import { Worker } from 'node:worker_threads';
import { type GuardTimes, QUESTION, RUNNING } from './signal-guard-messages.ts';

const TIMES: GuardTimes = { first: 5_000, later: 1_000, pause: 500, same: 500 };

/** The heap limits of the thread in MiB. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** The path of the bundled thread, set by the build. */
declare const SIGNAL_GUARD_THREAD: string | undefined;

const THREAD_FILE =
  typeof SIGNAL_GUARD_THREAD === 'undefined' ? '../../dist/cli/signal-guard-thread.cjs' : SIGNAL_GUARD_THREAD;

/**
 * Starts the thread, which does not keep the process alive. Returns the thread; `undefined` if it cannot
 * start, for example under the permission model. The process then runs without a guard, as it does if the
 * Node version lacks the internal binding.
 */
export function guardSignals(times: GuardTimes = TIMES): Worker | undefined {
  let thread: Worker;
  try {
    thread = new Worker(new URL(THREAD_FILE, import.meta.url), {
      execArgv: ['--expose-internals'],
      env: {},
      workerData: times,
      resourceLimits: RESOURCE_LIMITS,
      trackUnmanagedFds: false,
    });
  } catch {
    return undefined;
  }
  thread.on('message', (message) => {
    if (message === QUESTION) thread.postMessage(RUNNING);
  });
  // The binding is missing, or the thread is out of memory.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}
