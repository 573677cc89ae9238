import { describe, expect, it } from 'vitest';
import { Fanout, NotificationQueue, OrderedSending } from '../../src/scheduling/notification-queue.ts';

/** Yielder of an event loop. Each notification takes 1 ms. */
class ManualTurns {
  spent = 0;
  #next: (() => void) | undefined;

  blockedFor(): number {
    return this.spent;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#next = resolve;
    });
  }

  /** Starts a turn. Returns false if no turn is pending. */
  async begin(): Promise<boolean> {
    const next = this.#next;
    this.#next = undefined;
    this.spent = 0;
    next?.();
    await new Promise((resolve) => setImmediate(resolve));
    return next !== undefined;
  }
}

/** A source of items, and the notifications sent for them. */
function sourceOn(turns: ManualTurns) {
  const sent: string[] = [];
  const held: Promise<void>[] = [];
  const queue = new NotificationQueue({ yielder: turns, holdChanges: (until) => void held.push(until) });
  const listeners = new Set<(item: number) => void>();
  const fanout = new Fanout<number>(queue, (take) => {
    listeners.add(take);
    return () => void listeners.delete(take);
  });
  const subscribe = (name: string): (() => void) =>
    fanout.add((item) => {
      turns.spent++;
      sent.push(`${name} ${item}`);
    });
  const emit = (item: number): void => {
    for (const take of listeners) take(item);
  };
  return { sent, held, listeners, subscribe, emit };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('notification queue', () => {
  it('few notifications are sent immediately, even if the loop was blocked', () => {
    const turns = new ManualTurns();
    const { sent, subscribe, emit } = sourceOn(turns);
    for (const name of names(64)) subscribe(name);
    turns.spent = 1_000;
    emit(0);
    expect(sent).toEqual(names(64).map((name) => `${name} 0`));
  });

  it('many notifications are sent in order, one time slice per turn', async () => {
    const turns = new ManualTurns();
    const { sent, subscribe, emit } = sourceOn(turns);
    for (const name of names(100)) subscribe(name);
    emit(0);
    emit(1);
    expect(sent).toHaveLength(64);
    for (let length = 68; length <= 200; length += 4) {
      await turns.begin();
      expect(sent).toHaveLength(length);
    }
    expect(sent).toEqual([0, 1].flatMap((item) => names(100).map((name) => `${name} ${item}`)));
    while (await turns.begin());
    emit(2);
    expect(sent.at(-1)).toBe('s63 2');
  });

  it('notifications never exceed a time slice, with any number of subscribers and events', async () => {
    const turns = new ManualTurns();
    const { sent, subscribe, emit } = sourceOn(turns);
    for (const name of names(5_000)) subscribe(name);
    for (const item of range(30)) {
      const before = sent.length;
      emit(item);
      expect(sent.length - before).toBeLessThanOrEqual(item === 0 ? 64 : 0);
    }
    while (sent.length < 64 + 1_000) {
      const before = sent.length;
      await turns.begin();
      expect(sent.length - before).toBeLessThanOrEqual(4);
    }
  });

  it('a long backlog holds the chain until few events remain', async () => {
    const turns = new ManualTurns();
    const { held, subscribe, emit } = sourceOn(turns);
    for (const name of names(65)) subscribe(name);
    for (const item of range(1_024)) emit(item);
    expect(held).toHaveLength(0);
    for (const item of range(10)) emit(item);
    expect(held).toHaveLength(1);
    let isReleased = false;
    void held[0]?.then(() => {
      isReleased = true;
    });
    let turnsUntilReleased = 0;
    for (; !isReleased; turnsUntilReleased++) await turns.begin();
    // At least half of the events are sent by then: 65 subscribers each, four notifications per turn.
    expect(turnsUntilReleased).toBeGreaterThan((512 * 65) / 4);
    for (const item of range(600)) emit(item);
    expect(held).toHaveLength(2);
  });

  it('notifications reach the subscribers at the time of the event that are still subscribed', async () => {
    const turns = new ManualTurns();
    const { sent, listeners, subscribe, emit } = sourceOn(turns);
    expect(listeners.size).toBe(0);
    const stops = names(70).map(subscribe);
    emit(0);
    subscribe('late');
    stops[69]?.();
    while (await turns.begin());
    expect(sent).toEqual(names(69).map((name) => `${name} 0`));
    emit(1);
    while (await turns.begin());
    expect(sent).toContain('late 1');
  });

  it('the queue listens only while it has a subscriber', () => {
    const { listeners, subscribe } = sourceOn(new ManualTurns());
    const [first, second] = [subscribe('a'), subscribe('b')];
    expect(listeners.size).toBe(1);
    first();
    expect(listeners.size).toBe(1);
    second();
    expect(listeners.size).toBe(0);
    subscribe('c');
    expect(listeners.size).toBe(1);
  });

  it('notifications of one subscriber stay in order if one of them is long', async () => {
    const sent: number[] = [];
    const sending = new OrderedSending({
      blockedFor: () => 0,
      wait: () => new Promise<void>((resolve) => setImmediate(resolve)),
    });
    const take = (item: number, isShort: boolean): void =>
      sending.take(function* () {
        yield Promise.resolve();
        sent.push(item);
      }, isShort);
    for (const [item, isShort] of [true, false, true, false, true].entries()) take(item, isShort);
    while (sent.length < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([0, 1, 2, 3, 4]);
  });
});
