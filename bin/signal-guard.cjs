'use strict';
// Ends the process at a signal if its event loop is blocked. A signal handler runs in the event loop, so that
// an endless loop would keep the process alive until SIGKILL. A second thread also receives the signals, and
// requires an answer from the first thread. Without an answer in time, it ends the process without saving.
//
// Node delivers signals only to its main thread. The internal binding for signals works in every thread. It
// requires Node's flag for its own tests, which only the second thread gets. If the flag or the binding is
// not available (another version, the permission model), there is no guard.
const { constants } = require('node:os');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

/**
 * Milliseconds to answer after the first signal and after a later one, and the pause before the next question
 * while the node closes. Signals within `same` milliseconds count as one. npx forwards the Ctrl-C that the
 * terminal has already sent to both processes.
 */
const TIMES = { first: 5_000, later: 1_000, pause: 500, same: 500 };
/** Maximum delay of a timer in milliseconds. A longer delay means that the whole process was stopped. */
const LATEST = 1_000;
/** Maximum milliseconds to write the message, because its reader may have stopped. */
const LONGEST_WRITE = 1_000;

/** Milliseconds to wait until SIGKILL counts as ineffective. */
const SIGKILL_TIME = 100;

/**
 * The signals that end a node. On Windows, SIGTERM ends a process without a handler. Excludes SIGHUP, whose
 * default action ends the node if the terminal closes. A second handler would prevent it.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'];

/** The heap limits of the thread in MiB. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** Messages: the thread is watching; the event loop must answer. */
const WATCHING = 'watching';
const QUESTION = 'are you running?';

/**
 * Starts the thread, which does not keep the process alive. `times` replaces {@link TIMES}. Returns the
 * thread; `undefined` if it cannot start.
 */
function guardSignals(times = TIMES) {
  let thread;
  try {
    thread = new Worker(__filename, {
      execArgv: ['--expose-internals'],
      env: {},
      workerData: { isSignalGuard: true, times },
      resourceLimits: RESOURCE_LIMITS,
      trackUnmanagedFds: false,
    });
  } catch {
    // The permission model can forbid threads.
    return undefined;
  }
  thread.on('message', (message) => {
    if (message === QUESTION) thread.postMessage('running');
  });
  // The binding is missing, or the thread is out of memory. The process runs without a guard.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}

/** Writes a line to the error output, then ends the process. Calls `abort` if SIGKILL has no effect. */
function endProcess(line, abort) {
  const end = () => {
    process.kill(process.pid, 'SIGKILL');
    // Process 1 of a container ignores SIGKILL. Linux ends it only for an error in its code.
    setTimeout(abort, SIGKILL_TIME);
  };
  setTimeout(end, LONGEST_WRITE);
  require('node:fs').write(2, line, end);
}

/** Waits for signals in the second thread. */
function watchSignals({ first, later, pause, same }) {
  // Suppresses the warning about the internal binding, which would be in the node's output.
  process.emitWarning = () => undefined;
  const { internalBinding } = require('internal/test/binding');
  const { Signal } = internalBinding('signal_wrap');
  const { abort } = internalBinding('process_methods');
  let signal = null;
  let lastSignal = 0;
  let waiting = null;
  let asking = null;

  function ask(time) {
    clearTimeout(asking);
    clearTimeout(waiting);
    const due = performance.now() + time;
    waiting = setTimeout(() => {
      if (performance.now() - due > LATEST) return ask(time);
      const seconds = time / 1_000;
      endProcess(
        `node-cli: the event loop was blocked for ${seconds} s after ${signal}; the process exits without saving\n`,
        abort,
      );
    }, time);
    parentPort.postMessage(QUESTION);
  }

  function onSignal(name) {
    const now = performance.now();
    const isFirst = signal === null;
    if (!isFirst && now - lastSignal <= same) return;
    signal = name;
    lastSignal = now;
    ask(isFirst ? first : later);
  }

  parentPort.on('message', () => {
    clearTimeout(waiting);
    // Also detects an event loop that is blocked while the node closes.
    asking = setTimeout(() => ask(first), pause);
  });
  for (const name of SIGNALS) {
    const handle = new Signal();
    handle.onsignal = () => onSignal(name);
    handle.start(constants.signals[name]);
  }
  parentPort.postMessage(WATCHING);
}

if (!isMainThread && workerData?.isSignalGuard === true) watchSignals(workerData.times);

exports.guardSignals = guardSignals;
