import type { WallClock } from '../primitives/clock.ts';
import type { ActivityFeed, ActivityReader } from '../rpc/activity.ts';
import {
  type BlockEntry,
  type ConsoleEntry,
  comingRequest,
  internalErrorText,
  type RemovedEntry,
  type RequestEntry,
  type StartEntry,
  type WorkEntry,
} from './log-entries.ts';
import type { LogWriter, TextOutput } from './log-writer.ts';

/** A log entry: time in ISO 8601, kind, and further facts. Wei and gas are decimal strings. */
export interface LogEntry {
  readonly time: string;
  readonly kind: string;
  readonly [fact: string]: unknown;
}

/** Receives an entry. `isProblem` is true for the error output. */
export type EntrySink = (entry: LogEntry, isProblem: boolean) => void;

/** A log for programs, with one entry per event. */
class EntryLog implements LogWriter {
  readonly #clock: WallClock;
  readonly #write: EntrySink;

  constructor(clock: WallClock, write: EntrySink) {
    this.#clock = clock;
    this.#write = write;
  }

  banner({ hasDefaultWallet: _default, lacksProject: _lacks, fork, ...facts }: StartEntry): void {
    this.#tell('banner', { ...facts, fork: fork && { url: fork.url, number: fork.number } });
  }

  listening(url: string): void {
    this.#tell('listening', { url });
  }

  request({ method, durationMs, lane, error, ...explained }: RequestEntry): void {
    const told = {
      ...(lane === undefined ? {} : { lane }),
      ...(error === null ? {} : { error }),
      ...explained,
    };
    this.#tell('request', { method, durationMs, ...told });
  }

  block({ transactions, ...block }: BlockEntry): void {
    this.#tell('block', { ...block, transactionCount: transactions.length });
    for (const { kind, console: told, ...transaction } of transactions) {
      const { lane, lanePath, number, hash } = block;
      const place = {
        ...(lane === undefined ? {} : { lane }),
        ...(lanePath === undefined ? {} : { lanePath }),
        blockNumber: number,
        blockHash: hash,
      };
      this.#tell('transaction', { purpose: kind, ...transaction, ...place });
      if (told !== null) this.#console(told, { transactionHash: transaction.hash, ...place });
    }
  }

  console(entry: ConsoleEntry, _isBelowItsRequest: boolean, lane?: string): void {
    this.#console(entry, lane === undefined ? {} : { lane });
  }

  removed(entry: RemovedEntry): void {
    this.#tell('removed', entry);
  }

  notice(text: string): void {
    this.#tell('notice', { text });
  }

  problem(text: string): void {
    this.#tell('problem', { text }, true);
  }

  work({ activity, ...entry }: WorkEntry): void {
    if (entry.stage === 'going') return;
    const place = 'path' in entry ? { path: entry.path } : { host: entry.host };
    this.#tell(activity, entry.stage === 'begun' ? { ...place, stage: 'begun' } : entry);
  }

  report(kind: string, facts: object): void {
    this.#tell(kind, facts);
  }

  internalError(error: unknown): void {
    this.#tell('internal-error', { error: internalErrorText(error) }, true);
  }

  flush(): void {
    // All lines are already written.
  }

  #console({ messages, omitted }: ConsoleEntry, place: object): void {
    for (const message of messages) this.#tell('console', { ...message, ...place });
    if (omitted > 0) this.#tell('console-omitted', { calls: omitted, ...place });
  }

  #tell(kind: string, facts: object, isProblem = false): void {
    const time = new Date(this.#clock.now()).toISOString();
    this.#write({ time, kind, ...withDecimals(facts) }, isProblem);
  }
}

/** Replaces bigint values by decimal strings for JSON. Nested facts contain none. */
function withDecimals(facts: object): object {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  );
}

export interface JsonLogOptions {
  readonly output: TextOutput;
  readonly errorOutput: TextOutput;
  readonly clock: WallClock;
}

/** A log for programs: one JSON object per line with `time` and `kind`. Wei and gas are decimal strings. */
export class JsonLog extends EntryLog {
  constructor({ output, errorOutput, clock }: JsonLogOptions) {
    super(clock, ({ failureNumber: _number, lanePath: _path, ...entry }, isProblem) => {
      (isProblem ? errorOutput : output).write(`${JSON.stringify(entry)}\n`);
    });
  }
}

/**
 * Returns the log for subscribers of the activity. If `hasLanePaths` is true, lane paths are not secret.
 * Entries of the base chain then have an empty `lanePath`.
 */
export function createActivityLog(feed: ActivityFeed, clock: WallClock, hasLanePaths: boolean): LogWriter {
  return new EntryLog(clock, (entry) =>
    feed.tell(hasLanePaths && entry.lane === undefined ? { ...entry, lanePath: '' } : entry),
  );
}

/** Returns a log that writes to both logs; to the second one only if it has readers. */
export function joinedLog(always: LogWriter, whileRead: LogWriter, reader: ActivityReader): LogWriter {
  const both = (write: (log: LogWriter) => void): void => {
    write(always);
    if (reader.isWatched) write(whileRead);
  };
  return {
    banner: (entry) => both((log) => log.banner(entry)),
    listening: (url) => both((log) => log.listening(url)),
    request: (entry, isToldBelow) => {
      always.request(entry, isToldBelow);
      if (reader.takes(comingRequest(entry.error !== null || entry.failure !== undefined, entry.lane)))
        whileRead.request(entry);
    },
    block: (entry, isBelow) => {
      always.block(entry, isBelow);
      const { lane, transactions } = entry;
      const hasFailure = transactions.some(({ failure }) => failure !== null);
      const counts = { block: 1, transaction: transactions.length };
      if (reader.takes({ lane, hasFailure, counts })) whileRead.block(entry, isBelow);
    },
    console: (entry, isBelow, lane) => both((log) => log.console(entry, isBelow, lane)),
    removed: (entry) => both((log) => log.removed(entry)),
    notice: (text) => both((log) => log.notice(text)),
    problem: (text) => both((log) => log.problem(text)),
    work: (entry) => both((log) => log.work(entry)),
    report: (kind, facts, lines) => both((log) => log.report(kind, facts, lines)),
    internalError: (error) => both((log) => log.internalError(error)),
    flush: () => both((log) => log.flush()),
  };
}
