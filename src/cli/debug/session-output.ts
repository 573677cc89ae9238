/** Prints to the debug console of the editor, with the place in the source. */

import type { DebugThread } from './debug-thread.ts';
import type { OutlineEvent } from './outline.ts';
import type { DebugConnection } from './protocol-server.ts';
import type { Sources } from './sources.ts';

/** Added to lines and columns that count from 1. */
export interface Offsets {
  readonly line: number;
  readonly column: number;
}

export type OutputCategory = 'console' | 'important' | 'stdout' | 'stderr';

const CATEGORIES = { console: 'stdout', event: 'console', failure: 'stderr' } as const;

export class SessionOutput {
  readonly #connection: DebugConnection;
  readonly #lineOffset: () => number;
  #isEnded = false;

  constructor(connection: DebugConnection, lineOffset: () => number) {
    this.#connection = connection;
    this.#lineOffset = lineOffset;
  }

  /** Prints nothing from now on. */
  end(): void {
    this.#isEnded = true;
  }

  print(category: OutputCategory, text: string): void {
    this.#emit({ category, output: `${text}\n` });
  }

  /** Prints an event of an execution. The caller's failure does not repeat the failure of an inner call. */
  printEvent(event: OutlineEvent, thread: DebugThread, sources: Sources): void {
    if (event.isPassedOn === true) return;
    const subject = event.kind === 'console' || event.contract === null ? '' : `${event.contract}: `;
    this.printAt(CATEGORIES[event.kind], `${subject}${event.text}`, { thread, sources, step: event.step });
  }

  printAt(
    category: OutputCategory,
    text: string,
    {
      thread,
      sources,
      step,
    }: { readonly thread: DebugThread; readonly sources: Sources; readonly step: number },
  ): void {
    const { timeline, execution } = thread;
    const statement = timeline.statementAt(step);
    const file = statement === null ? undefined : execution.outline.files[statement.file];
    if (file === undefined || statement === null) this.print(category, text);
    else {
      const line = statement.line + this.#lineOffset();
      this.#emit({ category, output: `${text}\n`, source: sources.known(file), line });
    }
  }

  #emit(body: object): void {
    if (!this.#isEnded) this.#connection.emitEvent('output', body);
  }
}
