// The second thread of the signal guard (signal-guard.ts).
//
// Node delivers signals only to its main thread. The internal binding for signals works in every thread. It
// requires Node's flag for its own tests, which only this thread gets.
import { write } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type GuardTimes, QUESTION, WATCHING } from './signal-guard-messages.ts';

/** Maximum delay of a timer in milliseconds. A longer delay means that the whole process was stopped. */
const LATEST = 1_000;
/** Maximum milliseconds to write the message, because its reader may have stopped. */
const MAX_WRITE_TIME = 1_000;

/** Milliseconds to wait until SIGKILL counts as ineffective. */
const SIGKILL_TIME = 100;

/**
 * The signals that end a node. On Windows, SIGTERM ends a process without a handler. Excludes SIGHUP, whose
 * default action ends the node if the terminal closes. A second handler would prevent it.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The used part of Node's internal binding. */
interface InternalBinding {
  (
    name: 'signal_wrap',
  ): {
    readonly Signal: new () => { onsignal: () => void; start(signal: number): void };
  };
  (name: 'process_methods'): { readonly abort: () => void };
}

/** Writes a line to the error output, then ends the process. Calls `abort` if SIGKILL has no effect. */
function endProcess(line: string, abort: () => void): void {
  const end = (): void => {
    process.kill(process.pid, 'SIGKILL');
    // Process 1 of a container ignores SIGKILL. Linux ends it only for an error in its code.
    setTimeout(abort, SIGKILL_TIME);
  };
  setTimeout(end, MAX_WRITE_TIME);
  write(2, line, end);
}

/** Waits for signals. */
function watchSignals(port: MessagePort, { first, later, pause, same }: GuardTimes): void {
  // Suppresses the warning about the internal binding, which would be in the node's output.
  process.emitWarning = () => undefined;
  const load = createRequire(import.meta.url);
  const { internalBinding }: { internalBinding: InternalBinding } = load('internal/test/binding');
  const { Signal } = internalBinding('signal_wrap');
  const { abort } = internalBinding('process_methods');
  let signal: string | null = null;
  let lastSignal = 0;
  let waiting: NodeJS.Timeout | undefined;
  let asking: NodeJS.Timeout | undefined;

  function ask(time: number): void {
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
    port.postMessage(QUESTION);
  }

  function onSignal(name: string): void {
    const now = performance.now();
    const isFirst = signal === null;
    if (!isFirst && now - lastSignal <= same) return;
    signal = name;
    lastSignal = now;
    ask(isFirst ? first : later);
  }

  port.on('message', () => {
    clearTimeout(waiting);
    // Also detects an event loop that is blocked while the node closes.
    asking = setTimeout(() => ask(first), pause);
  });
  for (const name of SIGNALS) {
    const handle = new Signal();
    handle.onsignal = () => onSignal(name);
    handle.start(constants.signals[name]);
  }
  port.postMessage(WATCHING);
}

if (parentPort !== null) watchSignals(parentPort, workerData);
