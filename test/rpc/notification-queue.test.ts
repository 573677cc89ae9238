import { describe, expect, it } from 'vitest';
import { NotificationQueue, OrderedSending } from '../../src/rpc/notification-queue.ts';

/** Turns of an event loop in which each notification takes a millisecond. */
class ManualTurns {
  spent = 0;
  #next: (() => void) | undefined;

  held(): number {
    return this.spent;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#next = resolve;
    });
  }

  /** Begins a turn; false when nothing waits for it. */
  async begin(): Promise<boolean> {
    const next = this.#next;
    this.#next = undefined;
    this.spent = 0;
    next?.();
    await new Promise((resolve) => setImmediate(resolve));
    return next !== undefined;
  }
}

function queueOf(turns: ManualTurns) {
  const sent: number[] = [];
  const queue = new NotificationQueue(turns);
  const send = (item: number): void => {
    turns.spent++;
    sent.push(item);
  };
  return { sent, queue, send, take: (item: number) => queue.take(() => send(item)) };
}

describe('notifications', () => {
  it('are sent at once where they are few, however long the loop has been held', () => {
    const turns = new ManualTurns();
    const { sent, take } = queueOf(turns);
    turns.spent = 1_000;
    for (let item = 0; item < 64; item++) take(item);
    expect(sent).toHaveLength(64);
  });

  it('are sent a slice of time long in each turn where they are many, in their order', async () => {
    const turns = new ManualTurns();
    const { sent, take } = queueOf(turns);
    for (let item = 0; item < 100; item++) take(item);
    expect(sent).toHaveLength(64);
    expect(await turns.begin()).toBe(true);
    expect(sent).toHaveLength(68);
    take(100);
    expect(sent).toHaveLength(68);
    while (await turns.begin());
    expect(sent).toEqual(Array.from({ length: 101 }, (_, item) => item));
    take(101);
    expect(sent).toHaveLength(102);
  });

  it('go before one that comes when too many wait, so that what makes them waits for them', () => {
    const turns = new ManualTurns();
    const { sent, take } = queueOf(turns);
    for (let item = 0; item < 64 + 2 ** 16; item++) take(item);
    expect(sent).toHaveLength(64);
    for (let item = 0; item < 10; item++) take(item);
    expect(sent).toHaveLength(74);
    expect(sent.slice(64)).toEqual(Array.from({ length: 10 }, (_, index) => 64 + index));
  });

  it('of one subscriber stay in their order where a long one is among them', async () => {
    const turns = new ManualTurns();
    const { sent, queue, send } = queueOf(turns);
    const pieceTurns = { held: () => 0, wait: () => new Promise<void>((resolve) => setImmediate(resolve)) };
    const sending = new OrderedSending(pieceTurns, queue);
    const take = (item: number, isShort: boolean): void =>
      sending.take(function* () {
        yield Promise.resolve();
        send(item);
      }, isShort);
    for (const [item, isShort] of [true, false, true, false, true].entries()) take(item, isShort);
    while (sent.length < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([0, 1, 2, 3, 4]);
  });
});
