import type { WallClock } from '../primitives/clock.ts';
import type { ActivityFeed } from '../rpc/activity.ts';
import { EntryLog } from './entry-log.ts';
import type { LogWriter } from './log-writer.ts';

/** Returns the log that those who watch the activity of the node read. */
export function createActivityLog(feed: ActivityFeed, clock: WallClock): LogWriter {
  return new EntryLog(clock, (entry) => feed.tell(entry));
}

/** Returns a log that writes everything into both: the second one only while somebody reads it. */
export function joinedLog(always: LogWriter, whileRead: LogWriter, isRead: () => boolean): LogWriter {
  const both = (write: (log: LogWriter) => void): void => {
    write(always);
    if (isRead()) write(whileRead);
  };
  return {
    banner: (entry) => both((log) => log.banner(entry)),
    listening: (url) => both((log) => log.listening(url)),
    request: (entry) => both((log) => log.request(entry)),
    block: (entry, isBelow) => both((log) => log.block(entry, isBelow)),
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
