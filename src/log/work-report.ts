import type { OnProgress } from '../persistence/dump/unpacking-room.ts';
import type { Timer, Timers, WallClock } from '../primitives/clock.ts';
import type { Work } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

/** Milliseconds after which work is long. */
export const LONG = 1_000;
/** Milliseconds between two words about long work. */
export const PAUSE = 200;

/** What a report takes from its surroundings. */
export interface WorkReportParts {
  /** `null` to tell nobody. */
  readonly log: LogWriter | null;
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** Tells the log how work goes on, once it takes longer than a second. */
export class WorkReport {
  readonly #parts: WorkReportParts;
  readonly #work: Work;
  readonly #start: number;
  readonly #timer: Timer;
  #fraction = 0;
  /** When the log was told last; `null` before it was. */
  #toldAt: number | null = null;

  /** To be made when the work begins. */
  constructor(parts: WorkReportParts, work: Work) {
    this.#parts = parts;
    this.#work = work;
    this.#start = parts.clock.now();
    this.#timer = parts.timers.after(LONG, () => this.#begin());
  }

  /** Hears how far the work is. */
  readonly onProgress: OnProgress = (fraction) => {
    this.#fraction = fraction;
    const now = this.#parts.clock.now();
    if (this.#toldAt === null) {
      if (now - this.#start >= LONG) this.#begin();
    } else if (now - this.#toldAt >= PAUSE) {
      this.#toldAt = now;
      this.#parts.log?.work({ ...this.#work, stage: 'going', fraction });
    }
  };

  #begin(): void {
    if (this.#toldAt !== null) return;
    this.#toldAt = this.#parts.clock.now();
    this.#parts.log?.work({ ...this.#work, stage: 'begun', fraction: this.#fraction });
  }

  /** Tells the end, of work that was told of. */
  done(): void {
    this.#timer.cancel();
    if (this.#toldAt === null) return;
    const durationMs = this.#parts.clock.now() - this.#start;
    this.#parts.log?.work({ ...this.#work, stage: 'done', durationMs });
  }

  /** Ends without a word: whoever began the work tells what went wrong. */
  failed(): void {
    this.#timer.cancel();
  }
}

/** Does what `act` does, and reports on it. */
export async function reporting<Result>(
  parts: WorkReportParts,
  work: Work,
  act: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> {
  const report = new WorkReport(parts, work);
  try {
    const result = await act(report.onProgress);
    report.done();
    return result;
  } catch (error) {
    report.failed();
    throw error;
  }
}
