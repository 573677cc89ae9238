import { type MonotonicClock, monotonicClock, type Timer, type Timers } from '../primitives/clock.ts';
import { SLICE_MILLISECONDS } from '../scheduling/scheduler.ts';
import type {
  BlockEntry,
  ConsoleEntry,
  RemovedEntry,
  RequestEntry,
  StartEntry,
  WorkEntry,
} from './log-entries.ts';

// The marks with which the log sets words off on a terminal. chalk is loaded only where there is one.

/** Functions that return a text with the marks around it. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Moves the cursor to the start of the emptied line above; `null` where written lines cannot be replaced. */
  readonly eraseLineAbove: string | null;
}

const plain = (text: string): string => text;

/** No marks: for files, pipes and users who want none. */
export const PLAIN_STYLE: Style = {
  bold: plain,
  dim: plain,
  bad: plain,
  warning: plain,
  eraseLineAbove: null,
};

/** Resolves to the marks of a terminal, in the colours of its own palette. */
export async function terminalStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  const { bold, dim, red, yellow } = new Chalk({ level: 1 });
  return { bold, dim, bad: red, warning: yellow, eraseLineAbove: '\u001b[1A\u001b[2K' };
}

/** Writes what happens in the node, for people or for programs. */
export interface LogWriter {
  banner(entry: StartEntry): void;
  listening(url: string): void;
  /** An answered call; `isToldBelow` when a block of it follows that says why it failed, so that people need not read it twice. */
  request(entry: RequestEntry, isToldBelow?: boolean): void;
  /** A mined block; `isBelowItsRequest` when the line above is the request that made it, so that it needs no heading. */
  block(entry: BlockEntry, isBelowItsRequest: boolean): void;
  /**
   * The console output of a call; `isBelowItsRequest` when the line above is the request of the call. `lane` is
   * the name of the lane that was called; absent for the base chain.
   */
  console(entry: ConsoleEntry, isBelowItsRequest: boolean, lane?: string): void;
  removed(entry: RemovedEntry): void;
  /** Something the person should know. */
  notice(text: string): void;
  /** Something that went wrong around the node, which goes on. */
  problem(text: string): void;
  /** Work that takes long. */
  work(entry: WorkEntry): void;
  /** A report at the end: `facts` for programs, and for people lines for a terminal of that many characters. */
  report(kind: string, facts: object, lines: (style: Style, width: number) => readonly string[]): void;
  /** A bug of the node. */
  internalError(error: unknown): void;
  /** Writes what is still held back. */
  flush(): void;
}

/** A stream of text. */
export interface TextOutput {
  write(text: string): void;
}

/** Characters of output that are written in one turn of the event loop. */
const WRITTEN_AT_ONCE = 2 ** 18;

/**
 * Text that is written in one piece for all that comes within one turn of the event loop: a batch of a hundred requests
 * has a hundred lines, and each write to the system costs as much as an answer. A long text, such as the lines of a block
 * of thousands of transactions, is written over several turns.
 */
export class GatheredOutput implements TextOutput {
  readonly #writeNow: (text: string) => void;
  readonly #afterTurn: (action: () => void) => void;
  #gathered: string[] = [];

  /** `afterTurn` calls what it is given once the turn is over. */
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
    // Joining would copy a long text once more.
    const part = count === 1 ? first : texts.join('');
    const rest = part.slice(WRITTEN_AT_ONCE);
    if (rest !== '') this.#gathered.unshift(rest);
    if (part !== '') this.#writeNow(part.slice(0, WRITTEN_AT_ONCE));
    if (this.#gathered.length > 0) this.#afterTurn(this.#writePart);
  };

  /** Writes what was gathered, before something that must come after it. */
  flush(): void {
    const text = this.#gathered.join('');
    this.#gathered = [];
    if (text !== '') this.#writeNow(text);
  }
}

// The order of the writing of the log: work that can wait is gathered, and everything is written in the order in which it happened.

/** Milliseconds for which work that comes after other work is gathered; a reader does not notice them. */
const GATHERING = 20;

/**
 * Work for the log, which can wait a moment. After a pause it is done in the next turn of the event loop; what comes within the
 * milliseconds after that is done in one go. In a row it takes a third of the time that it takes between other work, whose code
 * and data have taken the place of its own in the caches of the processor.
 */
export class GatheredWork {
  readonly #timers: Timers;
  readonly #clock: MonotonicClock;
  readonly #waiting: (() => void)[] = [];
  #timer: Timer | null = null;
  /** True when the work is to be done in the next turn. */
  #isDue = false;

  constructor(timers: Timers, clock: MonotonicClock = monotonicClock) {
    this.#timers = timers;
    this.#clock = clock;
  }

  /** Has the action called, which must not throw. */
  add(action: () => void): void {
    this.#waiting.push(action);
    if (this.#timer === null) this.#defer();
  }

  /** Does what waits: for a slice of time, and the rest in later turns. */
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

/** Something that is written in its turn; `null` while it is waited for. */
interface Place {
  action: (() => void) | null;
}

/** Writes in the order in which things happened, also where one must be waited for. */
export class OrderedWriting {
  readonly #onError: (error: unknown) => void;
  /** The places that are not written yet; the first one is waited for. */
  #places: Place[] = [];
  /** Called when everything is written. */
  #ended: (() => void)[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls `action` at once, or after what is waited for. */
  write(action: () => void): void {
    if (this.#places.length === 0) action();
    else this.#places.push({ action });
  }

  /** Calls `action` with the value when it has come and everything before is written. Later writing waits for it. */
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

  /** Resolves when everything is written. */
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
