import { describe, expect, it } from 'vitest';
import { type ChainChange, ChangeFeed } from '../../src/log/chain-watch.ts';
import type { Timers } from '../../src/primitives/clock.ts';
import { blockWith } from './support/entries.ts';

function added(number: number): ChainChange {
  return { added: blockWith(number) };
}

function callOf(method: string): { readonly method: string; isAnswered: boolean } {
  return { method, isAnswered: false };
}

/** Numbers of blocks, negative for removed blocks. */
function numberOf(change: ChainChange): number {
  return 'added' in change ? change.added.number : -change.removed.last;
}

function makeFeed() {
  const numbers: number[] = [];
  const actions = new Set<() => void>();
  const timers: Timers = {
    after(_, action) {
      actions.add(action);
      return { cancel: () => void actions.delete(action) };
    },
  };
  const feed = new ChangeFeed(timers, (change) => numbers.push(numberOf(change)));
  const passTime = (): void => {
    for (const action of actions) action();
  };
  return { feed, numbers, passTime, pendingTimers: () => actions.size };
}

describe('ChangeFeed', () => {
  it('delays blocks until the timeout', () => {
    const { feed, numbers, passTime, pendingTimers } = makeFeed();
    feed.add(added(1), callOf('a'));
    expect(numbers).toEqual([]);
    passTime();
    expect(numbers).toEqual([1]);
    expect(pendingTimers()).toBe(0);
  });

  it('returns the blocks of each call in any order of the responses', () => {
    const { feed, numbers, pendingTimers } = makeFeed();
    const [a, b] = [callOf('a'), callOf('b')];
    feed.add(added(1), a);
    feed.add(added(2), b);
    feed.add(added(3), a);
    expect(feed.release(b).map(numberOf)).toEqual([2]);
    feed.goOn();
    expect(feed.release(a).map(numberOf)).toEqual([1, 3]);
    feed.goOn();
    expect(numbers).toEqual([]);
    expect(pendingTimers()).toBe(0);
  });

  it('emits blocks without a pending call immediately', () => {
    const { feed, numbers, pendingTimers } = makeFeed();
    feed.add(added(1), null);
    feed.add(added(2), { method: 'late', isAnswered: true });
    expect(numbers).toEqual([1, 2]);
    expect(pendingTimers()).toBe(0);
  });

  it('emits blocks without a call after the earlier blocks', () => {
    const { feed, numbers } = makeFeed();
    const [a, b] = [callOf('a'), callOf('b')];
    feed.add(added(1), a);
    feed.add(added(2), null);
    feed.add(added(3), b);
    feed.add(added(4), null);
    expect(feed.release(a).map(numberOf)).toEqual([1]);
    feed.goOn();
    expect(numbers).toEqual([2]);
    expect(feed.release(b).map(numberOf)).toEqual([3]);
    feed.goOn();
    expect(numbers).toEqual([2, 4]);
  });

  it('keeps removed blocks in order among added ones', () => {
    const { feed, numbers } = makeFeed();
    feed.add(added(1), callOf('a'));
    feed.add({ removed: { first: 1, last: 1 } }, callOf('b'));
    feed.add(added(1), callOf('c'));
    feed.releaseAll();
    expect(numbers).toEqual([1, -1, 1]);
  });
});
