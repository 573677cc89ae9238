import type { WallClock } from '../primitives/clock.ts';
import type { ActivityFeed, ActivityReader } from '../rpc/activity.ts';
import { EntryLog } from './entry-log.ts';
import { comingRequest } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

/** Returns the log that those who watch the activity of the node read. */
export function createActivityLog(feed: ActivityFeed, clock: WallClock): LogWriter {
  return new EntryLog(clock, (entry) => feed.tell(entry));
}

/** Returns a log that writes everything into both: the second one only what is read. */
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
      if (reader.takes(comingRequest(entry.error !== null, entry.lane))) whileRead.request(entry);
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
