/** Prints to the debug console of the editor, with the place in the source. */

import type { DebugThread } from './debug-thread.ts';
import type { CallFrame, OutlineEvent } from './outline.ts';
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
  async printEvent(event: OutlineEvent, thread: DebugThread, sources: Sources): Promise<void> {
    if (event.isPassedOn === true) return;
    const subject = event.kind === 'console' || event.contract === null ? '' : `${event.contract}: `;
    const text = `${subject}${event.text}`;
    const frame = event.isCause === true ? await causingFrame(event, thread) : undefined;
    const file = thread.execution.outline.files.find(({ name }) => name === frame?.source);
    if (file === undefined || frame?.line == null)
      this.printAt(CATEGORIES[event.kind], text, { thread, sources, step: event.step });
    else this.#printLine(CATEGORIES[event.kind], text, sources.known(file), frame.line);
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
    else this.#printLine(category, text, sources.known(file), statement.line);
  }

  #printLine(category: OutputCategory, text: string, source: object | undefined, line: number): void {
    this.#emit({ category, output: `${text}\n`, source, line: line + this.#lineOffset() });
  }

  #emit(body: object): void {
    if (!this.#isEnded) this.#connection.emitEvent('output', body);
  }
}

/**
 * Resolves to the innermost frame of a failure; `undefined` if it is unknown. The optimizer shares the code of equal
 * errors, so the code can be in another function.
 */
async function causingFrame({ step }: OutlineEvent, thread: DebugThread): Promise<CallFrame | undefined> {
  const { execution } = thread;
  if (execution.outline.count === 0) return undefined;
  // Without the frames, the place is the statement of the step. The stack trace reports the reason.
  const frames = await execution.frames(step).catch(() => []);
  return frames[0];
}
