import { describe, expect, it } from 'vitest';
import { type ActivityBatch, type ActivityEntry, ActivityFeed } from '../../src/rpc/activity.ts';
import { ManualTimers } from '../server/manual-timers.ts';

const PACE = { pause: 100, most: 2, except: new Set(['block']) };
const GATHERING = 10;

function entry(kind: string, facts: object = {}): ActivityEntry {
  return { time: '2026-01-01T00:00:00.000Z', kind, ...facts };
}

/** A feed with a batch subscription, and its batches. */
function watched(onlyLane: string | null = null) {
  const feed = new ActivityFeed((key) => `name of ${key}`);
  const timers = new ManualTimers();
  const batches: ActivityBatch[] = [];
  const scope = onlyLane === null ? null : { lane: onlyLane, hasBase: false };
  const end = feed.watchPaced((batch) => batches.push(batch), scope, PACE, timers);
  return { feed, timers, batches, end };
}

function coming(counts: Readonly<Record<string, number>>, hasFailure = false, lane?: string) {
  return { counts, hasFailure, lane };
}

describe('batches of the activity feed', () => {
  it('sends the first batch soon after a pause, then one per interval', () => {
    const { feed, timers, batches } = watched();
    feed.tell(entry('request', { method: 'a' }));
    expect(batches).toEqual([]);
    timers.advance(GATHERING);
    expect(batches).toEqual([{ entries: [entry('request', { method: 'a' })], omitted: {} }]);
    feed.tell(entry('request', { method: 'b' }));
    timers.advance(99);
    expect(batches).toHaveLength(1);
    timers.advance(1);
    expect(batches).toHaveLength(2);
    timers.advance(100);
    expect(timers.pendingCount).toBe(0);
    expect(batches).toHaveLength(2);
  });

  it('limits the entries and failures of a batch and counts the rest by kind', () => {
    const { feed, timers, batches } = watched();
    const failure = entry('transaction', { failure: 'reverted' });
    for (let told = 0; told < 3; told++) {
      feed.tell(entry('request'));
      feed.tell(entry('transaction', { failure: null }));
      feed.tell(failure);
      feed.tell(entry('block'));
    }
    timers.advance(GATHERING);
    expect(batches).toEqual([
      {
        entries: [entry('request'), entry('transaction', { failure: null }), failure, failure],
        omitted: { request: 2, transaction: 3 },
      },
    ]);
    feed.tell(entry('request'));
    timers.advance(100);
    expect(batches[1]).toEqual({ entries: [entry('request')], omitted: {} });
  });

  it('counts entries beyond the limit without a description', () => {
    const { feed, timers, batches } = watched();
    expect(feed.takes(coming({ block: 1 }))).toBe(false);
    timers.advance(1_000);
    expect(batches).toEqual([]);
    expect(feed.takes(coming({ block: 1, transaction: 1 }))).toBe(true);
    feed.tell(entry('transaction', { failure: null }));
    feed.tell(entry('request'));
    expect(feed.hasRoom(coming({ request: 1 }))).toBe(false);
    expect(feed.takes(coming({ block: 1, transaction: 5 }))).toBe(false);
    expect(feed.takes(coming({ request: 1 }, true))).toBe(true);
    timers.advance(GATHERING);
    expect(batches[0]?.omitted).toEqual({ transaction: 5 });
    expect(feed.takes(coming({ request: 1 }))).toBe(true);
  });

  it('describes entries for an unlimited watcher while others are full', () => {
    const { feed } = watched();
    feed.tell(entry('request'));
    feed.tell(entry('request'));
    expect(feed.takes(coming({ request: 1 }))).toBe(false);
    const entries: ActivityEntry[] = [];
    const end = feed.watch((told) => entries.push(told), null);
    expect(feed.takes(coming({ request: 1 }))).toBe(true);
    end();
    expect(feed.takes(coming({ request: 1 }))).toBe(false);
  });

  it('contains only entries of the own lane if lanes are secret', () => {
    const { feed, timers, batches } = watched('one');
    expect(feed.takes(coming({ request: 1 }))).toBe(false);
    expect(feed.takes(coming({ request: 1 }, false, 'name of two'))).toBe(false);
    expect(feed.takes(coming({ request: 1 }, false, 'name of one'))).toBe(true);
    feed.tell(entry('request'));
    feed.tell(entry('request', { lane: 'name of one' }));
    timers.advance(GATHERING);
    expect(batches).toEqual([{ entries: [entry('request', { lane: 'name of one' })], omitted: {} }]);
  });

  it('ends with the subscription', () => {
    const { feed, timers, batches, end } = watched();
    feed.tell(entry('request'));
    end();
    expect(feed.isWatched).toBe(false);
    expect(timers.pendingCount).toBe(0);
    timers.advance(1_000);
    expect(batches).toEqual([]);
  });
});
