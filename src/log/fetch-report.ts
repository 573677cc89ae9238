import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import type { Timer, Timers, WallClock } from '../primitives/clock.ts';
import type { FetchEntry } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';
import { LONG, PAUSE } from './work-report.ts';

/** Milliseconds without a request after which fetching is over. */
const LULL = 250;

/** What a report takes from its surroundings. */
export interface FetchReportParts {
  readonly log: LogWriter;
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** Requests with no more than a lull between them. */
interface Run {
  readonly start: number;
  answers: number;
  /** When the last request ended; means nothing while one is under way. */
  end: number;
  /** When the log was told last; `null` before it was. */
  toldAt: number | null;
  /** Waits for the run to be long while a request is under way, and for its end when none is. */
  timer: Timer;
}

/** Tells the log how the upstream of one fork is asked, once that goes on for a second. */
export class FetchReport implements UpstreamTraffic {
  readonly #parts: FetchReportParts;
  #host = '';
  #requests = 0;
  #run: Run | null = null;
  #isClosed = false;

  constructor(parts: FetchReportParts) {
    this.#parts = parts;
  }

  begun(host: string): void {
    if (this.#isClosed) return;
    this.#requests++;
    if (this.#requests > 1) return;
    const now = this.#parts.clock.now();
    // Code that runs for long keeps timers waiting.
    if (this.#run !== null && now - this.#run.end > LULL) this.#finish(this.#run);
    this.#host = host;
    const run = this.#run;
    if (run === null) {
      const timer = this.#whenLong(LONG);
      this.#run = { start: now, answers: 0, end: now, toldAt: null, timer };
      return;
    }
    run.timer.cancel();
    if (run.toldAt !== null) return;
    const left = run.start + LONG - now;
    if (left > 0) run.timer = this.#whenLong(left);
    else this.#tell(run, 'begun');
  }

  answered(host: string, answers: number): void {
    const run = this.#run;
    if (run === null) return;
    this.#host = host;
    run.answers += answers;
    if (run.toldAt !== null && this.#parts.clock.now() - run.toldAt >= PAUSE) this.#tell(run, 'going');
  }

  ended(): void {
    this.#requests--;
    const run = this.#run;
    if (run === null || this.#requests > 0) return;
    run.timer.cancel();
    run.end = this.#parts.clock.now();
    run.timer = this.#parts.timers.after(LULL, () => this.#finish(run));
  }

  closed(): void {
    this.#isClosed = true;
    const run = this.#run;
    if (run === null) return;
    if (this.#requests > 0) run.end = this.#parts.clock.now();
    this.#finish(run);
  }

  #whenLong(delay: number): Timer {
    return this.#parts.timers.after(delay, () => {
      if (this.#run !== null) this.#tell(this.#run, 'begun');
    });
  }

  #tell(run: Run, stage: 'begun' | 'going'): void {
    run.toldAt = this.#parts.clock.now();
    this.#parts.log.work({ ...this.#entryOf(run), stage });
  }

  #finish(run: Run): void {
    run.timer.cancel();
    this.#run = null;
    if (run.toldAt === null) return;
    this.#parts.log.work({ ...this.#entryOf(run), stage: 'done', durationMs: run.end - run.start });
  }

  #entryOf({ answers }: Run): Pick<FetchEntry, 'activity' | 'host' | 'answers'> {
    return { activity: 'fetch', host: this.#host, answers };
  }
}
