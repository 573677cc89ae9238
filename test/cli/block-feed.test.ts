import { describe, expect, it } from 'vitest';
import { BlockFeed, type ChainChange } from '../../src/log/chain-watch.ts';
import type { Timers } from '../../src/primitives/clock.ts';
import { blockWith } from './support/entries.ts';

function added(number: number): ChainChange {
  return { added: blockWith(number) };
}

function makeFeed() {
  const numbers: number[] = [];
  const makers: string[] = [];
  const errors: unknown[] = [];
  const actions = new Set<() => void>();
  const timers: Timers = {
    after(_, action) {
      actions.add(action);
      return { cancel: () => void actions.delete(action) };
    },
  };
  const feed = new BlockFeed<string>({
    timers,
    write: (change, maker) => {
      numbers.push('added' in change ? change.added.number : -change.removed.last);
      makers.push(maker);
    },
    onError: (error) => errors.push(error),
  });
  const passTime = (): void => {
    for (const action of actions) action();
  };
  return { feed, numbers, makers, errors, passTime, pendingTimers: () => actions.size };
}

/** Lets everything happen that waits for nothing else. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('BlockFeed', () => {
  it('holds blocks back for a moment', async () => {
    const { feed, numbers, passTime } = makeFeed();
    feed.add(Promise.resolve(added(1)), 'a');
    await settle();
    expect(numbers).toEqual([]);
    passTime();
    expect(numbers).toEqual([1]);
  });

  it('writes them as soon as the request that made them is told', async () => {
    const { feed, numbers, makers, pendingTimers } = makeFeed();
    feed.add(Promise.resolve(added(1)), 'a');
    feed.add(Promise.resolve(added(2)), 'b');
    await feed.release();
    expect(numbers).toEqual([1, 2]);
    expect(makers).toEqual(['a', 'b']);
    expect(pendingTimers()).toBe(0);
  });

  it('keeps their order when a later one is described sooner', async () => {
    const { feed, numbers } = makeFeed();
    let describeFirst = (_: ChainChange): void => undefined;
    feed.add(
      new Promise((resolve) => {
        describeFirst = resolve;
      }),
      'a',
    );
    feed.add(Promise.resolve(added(2)), 'a');
    await settle();
    describeFirst(added(1));
    await feed.release();
    expect(numbers).toEqual([1, 2]);
  });

  it('keeps removed blocks in their place among those that were made', async () => {
    const { feed, numbers } = makeFeed();
    feed.add(Promise.resolve(added(1)), 'a');
    feed.add(Promise.resolve({ removed: { first: 1, last: 1 } }), 'b');
    feed.add(Promise.resolve(added(1)), 'c');
    await feed.release();
    expect(numbers).toEqual([1, -1, 1]);
  });

  it('reports a block that cannot be described and goes on', async () => {
    const { feed, numbers, errors } = makeFeed();
    const lost = new Error('lost');
    feed.add(Promise.reject(lost), 'a');
    feed.add(Promise.resolve(added(2)), 'a');
    await feed.release();
    expect(errors).toEqual([lost]);
    expect(numbers).toEqual([2]);
  });
});
