import { SaveError } from '../config/errors.ts';
import { internalErrorText } from '../log/log-entries.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';

/**
 * Two signals within this number of milliseconds count as one. npx forwards the Ctrl-C that the terminal has
 * already sent to both processes.
 */
const SAME_SIGNAL = 500;

/** A node that a signal closes. */
export interface Closable {
  /** Resolves to the exit code. */
  close(): Promise<number>;
  /** Returns a message about unsaved data, for a process that exits now; `null` if nothing would be lost. */
  unsaved(): string | null;
}

/** Returns the host with one more signal: the end of its standard input counts as SIGTERM. */
export function endingWithInput(host: Host): Host {
  return {
    ...host,
    onSignal(listener) {
      host.onSignal(listener);
      host.onInputEnd(() => listener('SIGTERM'));
    },
  };
}

/**
 * Closes the node that `running` returns at the first signal, then exits with its code. `onClosed` is called
 * before the exit, unless closing fails. A later signal prints the unsaved file and exits immediately. While
 * `running` returns `null`, the node does not listen yet, and the first signal exits immediately.
 */
export function closeOnSignal(
  host: Host,
  running: () => Closable | null,
  onClosed: () => void = () => undefined,
): void {
  let closingSince: number | null = null;
  host.onSignal(() => {
    const now = host.clock.now();
    if (closingSince !== null) {
      if (now - closingSince <= SAME_SIGNAL) return;
      const lost = running()?.unsaved() ?? null;
      if (lost !== null) host.errorOutput.write(`node-cli: ${lost}\n`);
      host.exit(EXIT_CODES.killed);
      return;
    }
    closingSince = now;
    const open = running();
    if (open === null) {
      host.exit(EXIT_CODES.killed);
      return;
    }
    open.close().then(
      (code) => {
        onClosed();
        host.exit(code);
      },
      (error: unknown) => {
        const words =
          error instanceof SaveError ? error.message : `could not close: ${internalErrorText(error)}`;
        host.errorOutput.write(`node-cli: ${words}\n`);
        host.exit(EXIT_CODES.failure);
      },
    );
  });
}
