import { type MonotonicClock, monotonicClock, type Timer, type Timers } from '../primitives/clock.ts';
import { SLICE_MILLISECONDS } from '../scheduling/slice-length.ts';
import type {
  BlockEntry,
  ConsoleEntry,
  RemovedEntry,
  RequestEntry,
  StartEntry,
  WorkEntry,
} from './log-entries.ts';

// Terminal styles. chalk is loaded only for a terminal.

/** Functions that wrap a text in style codes. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Clears the line above and moves the cursor to its start; `null` if lines cannot be rewritten. */
  readonly eraseLineAbove: string | null;
}

const plain = (text: string): string => text;

/** No styles: for files, pipes, and `--no-color`. */
export const PLAIN_STYLE: Style = {
  bold: plain,
  dim: plain,
  bad: plain,
  warning: plain,
  eraseLineAbove: null,
};

/** Resolves to the styles of a terminal, in its own palette. */
export async function terminalStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  const { bold, dim, red, yellow } = new Chalk({ level: 1 });
  return { bold, dim, bad: red, warning: yellow, eraseLineAbove: '\u001b[1A\u001b[2K' };
}

/** Writes events of the node, for people or for programs. */
export interface LogWriter {
  banner(entry: StartEntry): void;
  listening(url: string): void;
  /** An answered call. If `isToldBelow`, a following block contains the reason of its failure. */
  request(entry: RequestEntry, isToldBelow?: boolean): void;
  /** A mined block. If `isBelowItsRequest`, the line above is its request, and it needs no heading. */
  block(entry: BlockEntry, isBelowItsRequest: boolean): void;
  /**
   * Console output of a call. If `isBelowItsRequest`, the line above is its request. `lane` is the lane's
   * name; absent for the base chain.
   */
  console(entry: ConsoleEntry, isBelowItsRequest: boolean, lane?: string): void;
  removed(entry: RemovedEntry): void;
  /** A message for the user. */
  notice(text: string): void;
  /** A problem outside of the node, which continues. */
  problem(text: string): void;
  /** Progress of long work. */
  work(entry: WorkEntry): void;
  /** A final report: `facts` for programs, and lines of at most `width` characters for people. */
  report(kind: string, facts: object, lines: (style: Style, width: number) => readonly string[]): void;
  internalError(error: unknown): void;
  /** Writes buffered lines. */
  flush(): void;
}

export interface TextOutput {
  write(text: string): void;
}

/** Maximum characters that are written per turn of the event loop. */
const WRITTEN_AT_ONCE = 2 ** 18;

/**
 * Combines all text of one event-loop turn into one write. A batch of a hundred requests logs a hundred
 * lines, and each system call is expensive. A long text is written over several turns.
 */
export class GatheredOutput implements TextOutput {
  readonly #writeNow: (text: string) => void;
  readonly #afterTurn: (action: () => void) => void;
  #gathered: string[] = [];

  /** `afterTurn` defers a function to the end of the turn. */
  constructor(writeNow: (text: string) => void, afterTurn: (action: () => void) => void) {
    this.#writeNow = writeNow;
    this.#afterTurn = afterTurn;
  }

  write(text: string): void {
    if (text === '') return;
    if (this.#gathered.length === 0) this.#afterTurn(this.#writePart);
    this.#gathered.push(text);
  }

  readonly #writePart = (): void => {
    let [count, length] = [0, 0];
    while (count < this.#gathered.length && length < WRITTEN_AT_ONCE)
      length += this.#gathered[count++]?.length ?? 0;
    const texts = this.#gathered.splice(0, count);
    const [first = ''] = texts;
    // Joining would copy a long text again.
    const part = count === 1 ? first : texts.join('');
    const rest = part.slice(WRITTEN_AT_ONCE);
    if (rest !== '') this.#gathered.unshift(rest);
    if (part !== '') this.#writeNow(part.slice(0, WRITTEN_AT_ONCE));
    if (this.#gathered.length > 0) this.#afterTurn(this.#writePart);
  };

  /** Writes the buffered text immediately, before other output. */
  flush(): void {
    const text = this.#gathered.join('');
    this.#gathered = [];
    if (text !== '') this.#writeNow(text);
  }
}

// Deferred log work, and writing in the order of events.

/** Milliseconds of batching after other work. Readers do not notice it. */
const GATHERING = 20;

/**
 * Defers and batches work for the log. After a pause, it runs in the next event-loop turn. Work of the
 * following milliseconds runs together. This is faster, because code and data stay in the CPU caches.
 */
export class GatheredWork {
  readonly #timers: Timers;
  readonly #clock: MonotonicClock;
  readonly #waiting: (() => void)[] = [];
  #timer: Timer | null = null;
  /** True if the work runs in the next turn. */
  #isDue = false;

  constructor(timers: Timers, clock: MonotonicClock = monotonicClock) {
    this.#timers = timers;
    this.#clock = clock;
  }

  /** Adds an action, which must not throw. */
  add(action: () => void): void {
    this.#waiting.push(action);
    if (this.#timer === null) this.#defer();
  }

  /** Runs waiting actions for one time slice, and the rest in later turns. */
  run(): void {
    this.#isDue = false;
    this.#timer?.cancel();
    this.#timer = null;
    const start = this.#clock.now();
    let done = 0;
    for (const action of this.#waiting) {
      action();
      done++;
      if (this.#clock.now() - start >= SLICE_MILLISECONDS) break;
    }
    this.#waiting.splice(0, done);
    if (this.#waiting.length > 0) this.#defer();
    else if (done > 0) this.#timer = this.#timers.after(GATHERING, () => this.run());
  }

  #defer(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.run());
  }
}

/** A queue entry; `action` is `null` while its value is pending. */
interface Place {
  action: (() => void) | null;
}

/** Writes in the order of events, even if some values are pending. */
export class OrderedWriting {
  readonly #onError: (error: unknown) => void;
  /** The unwritten entries. The first one is pending. */
  #places: Place[] = [];
  /** Called when all entries are written. */
  #ended: (() => void)[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls `action` immediately, or after pending entries. */
  write(action: () => void): void {
    if (this.#places.length === 0) action();
    else this.#places.push({ action });
  }

  /** Calls `action` with the resolved value, after all earlier entries. Later entries wait for it. */
  writeWhen<Value>(value: Promise<Value>, action: (value: Value) => void): void {
    const place: Place = { action: null };
    this.#places.push(place);
    const take = (come: () => void): void => {
      place.action = come;
      this.#goOn();
    };
    value.then(
      (come) => take(() => action(come)),
      (error: unknown) => take(() => this.#onError(error)),
    );
  }

  /** Resolves when all entries are written. */
  async end(): Promise<void> {
    if (this.#places.length > 0) await new Promise<void>((resolve) => this.#ended.push(resolve));
  }

  #goOn(): void {
    let written = 0;
    for (const { action } of this.#places) {
      if (action === null) break;
      written++;
      try {
        action();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#places = this.#places.slice(written);
    if (this.#places.length > 0) return;
    for (const end of this.#ended.splice(0)) end();
  }
}
