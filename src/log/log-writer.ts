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

/**
 * Text that is written in one piece for all that comes within one turn of the event loop: a batch of a hundred requests
 * has a hundred lines, and each write to the system costs as much as an answer.
 */
export class GatheredOutput implements TextOutput {
  readonly #writeNow: (text: string) => void;
  readonly #afterTurn: (action: () => void) => void;
  #gathered = '';

  /** `afterTurn` calls what it is given once the turn is over. */
  constructor(writeNow: (text: string) => void, afterTurn: (action: () => void) => void) {
    this.#writeNow = writeNow;
    this.#afterTurn = afterTurn;
  }

  write(text: string): void {
    if (this.#gathered === '') this.#afterTurn(() => this.flush());
    this.#gathered += text;
  }

  /** Writes what was gathered, before something that must come after it. */
  flush(): void {
    const text = this.#gathered;
    this.#gathered = '';
    if (text !== '') this.#writeNow(text);
  }
}
