import { printable } from '../config/errors.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import type { OnProgress } from '../persistence/dump/dump-bytes.ts';
import type { Timer, Timers, WallClock } from '../primitives/clock.ts';
import type { FetchEntry, FileWork } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

/** Milliseconds until work counts as long. */
const LONG = 1_000;
/** Milliseconds between two lines about the same work. */
const PAUSE = 200;

export interface WorkReportOptions {
  /** `null` for no log. */
  readonly log: LogWriter | null;
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** Logs the progress of work that takes more than a second. */
export class WorkReport {
  readonly #options: WorkReportOptions;
  readonly #work: FileWork;
  readonly #start: number;
  readonly #timer: Timer;
  #fraction = 0;
  /** Time of the last log line, in milliseconds; `null` before the first one. */
  #toldAt: number | null = null;

  /** The work starts now. */
  constructor(options: WorkReportOptions, work: FileWork) {
    this.#options = options;
    this.#work = work;
    this.#start = options.clock.now();
    this.#timer = options.timers.after(LONG, () => this.#begin());
  }

  /** Called with the completed fraction of the work. */
  readonly onProgress: OnProgress = (fraction) => {
    this.#fraction = fraction;
    const now = this.#options.clock.now();
    if (this.#toldAt === null) {
      if (now - this.#start >= LONG) this.#begin();
    } else if (now - this.#toldAt >= PAUSE) {
      this.#toldAt = now;
      this.#options.log?.work({ ...this.#work, stage: 'going', fraction });
    }
  };

  #begin(): void {
    if (this.#toldAt !== null) return;
    this.#toldAt = this.#options.clock.now();
    this.#options.log?.work({ ...this.#work, stage: 'begun', fraction: this.#fraction });
  }

  /** Logs the end, if the start was logged. */
  done(): void {
    this.#timer.cancel();
    if (this.#toldAt === null) return;
    const durationMs = this.#options.clock.now() - this.#start;
    this.#options.log?.work({ ...this.#work, stage: 'done', durationMs });
  }

  /** Ends the report silently. The code that started the work reports the error. */
  failed(): void {
    this.#timer.cancel();
  }
}

/** Runs `act` and reports its progress. */
export async function reporting<Result>(
  options: WorkReportOptions,
  work: FileWork,
  act: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> {
  const report = new WorkReport(options, work);
  try {
    const result = await act(report.onProgress);
    report.done();
    return result;
  } catch (error) {
    report.failed();
    throw error;
  }
}

/** Milliseconds without a request until fetching counts as finished. */
const LULL = 250;

/** Requests with pauses of at most {@link LULL} between them. */
interface Run {
  readonly start: number;
  answers: number;
  /** End time of the last request, in milliseconds; invalid while a request is pending. */
  end: number;
  /** Time of the last log line, in milliseconds; `null` before the first one. */
  toldAt: number | null;
  /** Fires when the run becomes long, or after a pause when it ends. */
  timer: Timer;
}

/** Logs the progress of fetching from a fork URL that takes more than a second. */
export class FetchReport implements UpstreamTraffic {
  readonly #options: WorkReportOptions;
  #host = '';
  #requests = 0;
  #run: Run | null = null;
  #isClosed = false;

  constructor(options: WorkReportOptions) {
    this.#options = options;
  }

  begun(host: string): void {
    if (this.#isClosed) return;
    this.#requests++;
    if (this.#requests > 1) return;
    const now = this.#options.clock.now();
    // A timer may be late because other code ran for long.
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
    if (run.toldAt !== null && this.#options.clock.now() - run.toldAt >= PAUSE) this.#tell(run, 'going');
  }

  unreachable(reasons: string): void {
    this.#options.log?.notice(`Cannot reach the fork URL; retrying: ${printable(reasons)}`);
  }

  ended(): void {
    this.#requests--;
    const run = this.#run;
    if (run === null || this.#requests > 0) return;
    run.timer.cancel();
    run.end = this.#options.clock.now();
    run.timer = this.#options.timers.after(LULL, () => this.#finish(run));
  }

  closed(): void {
    this.#isClosed = true;
    const run = this.#run;
    if (run === null) return;
    if (this.#requests > 0) run.end = this.#options.clock.now();
    this.#finish(run);
  }

  #whenLong(delay: number): Timer {
    return this.#options.timers.after(delay, () => {
      if (this.#run !== null) this.#tell(this.#run, 'begun');
    });
  }

  #tell(run: Run, stage: 'begun' | 'going'): void {
    run.toldAt = this.#options.clock.now();
    this.#options.log?.work({ ...this.#entryOf(run), stage });
  }

  #finish(run: Run): void {
    run.timer.cancel();
    this.#run = null;
    // A failed fork reports its own error.
    if (run.toldAt === null || run.answers === 0) return;
    this.#options.log?.work({ ...this.#entryOf(run), stage: 'done', durationMs: run.end - run.start });
  }

  #entryOf({ answers }: Run): Pick<FetchEntry, 'activity' | 'host' | 'answers'> {
    return { activity: 'fetch', host: this.#host, answers };
  }
}
