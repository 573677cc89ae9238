'use strict';
// Ends the process at a signal if its event loop is blocked. A handler of a signal is JavaScript that runs in the event loop, so that a loop
// which never returns would keep the process alive until SIGKILL. A second thread also gets the signals, and asks the first one for an
// answer. If none comes in time, it ends the process without saving.
//
// Node offers signals to its main thread only. The binding for signals itself works in every thread, and is reached through the flag
// with which Node tests itself, which is given to the second thread alone. Without the flag or the binding (another version, the
// permission model) there is no guard: signals then work while the event loop runs, as in any program.
const { constants } = require('node:os');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

/**
 * Milliseconds within which the event loop must answer after the first signal, and after a later one; and the pause between an answer and the
 * next question, while the node closes. Signals within `same` milliseconds count as one: npx passes on the Ctrl-C that the terminal has
 * sent to both processes.
 */
const TIMES = { first: 5_000, later: 1_000, pause: 500, same: 500 };
/** Milliseconds by which a timer may be late. If it is later, the whole process was stopped, and gets its time again. */
const LATEST = 1_000;
/** Milliseconds that the message may take to be written: its reader may have stopped reading. */
const LONGEST_WRITE = 1_000;

/** Milliseconds after which a process that SIGKILL has not ended does not end by it. */
const SIGKILL_TIME = 100;

/**
 * The signals that end a node. On Windows SIGTERM ends a process without being delivered. Without SIGHUP: if the terminal is closed,
 * the node ends by the default action of that signal, which a second handler would prevent.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'];

/** The heap of the thread in MiB: it has a few closures. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** The messages of the thread: it gets signals from now on; the event loop must answer. */
const WATCHING = 'watching';
const QUESTION = 'are you running?';

/**
 * Starts the thread. `times` replaces {@link TIMES}. The thread does not keep the process alive. Returns the thread; `undefined` if none can
 * be started.
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
    // The permission model allows no threads.
    return undefined;
  }
  thread.on('message', (message) => {
    if (message === QUESTION) thread.postMessage('running');
  });
  // Node has no such binding, or the thread has no memory: the process runs without a guard.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}

/** Writes a line to the standard error output, then ends the process. `abort` ends it where the system ignores its own SIGKILL. */
function endProcess(line, abort) {
  const end = () => {
    process.kill(process.pid, 'SIGKILL');
    // Process 1 of a container ignores it. Linux ends that process only for an error in its code.
    setTimeout(abort, SIGKILL_TIME);
  };
  setTimeout(end, LONGEST_WRITE);
  require('node:fs').write(2, line, end);
}

/** Runs in the second thread: waits for signals. */
function watchSignals({ first, later, pause, same }) {
  // Node warns that the binding is internal; the warning would be printed in the output of the node.
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
    // A loop that is blocked while the node closes is found too.
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
