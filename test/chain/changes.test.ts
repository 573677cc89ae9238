import { describe, expect, it } from 'vitest';
import { SerialQueue } from '../../src/chain/changes.ts';

function signal() {
  let send = (): void => undefined;
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { send, sent };
}

describe('SerialQueue', () => {
  it('runs one task at a time in order and continues after a failure', async () => {
    const queue = new SerialQueue();
    const told: string[] = [];
    const tasks = ['a', 'b', 'c'].map((name) =>
      queue.run(async () => {
        told.push(`${name} begins`);
        await Promise.resolve();
        told.push(`${name} ends`);
        if (name === 'b') throw new RangeError(name);
        return name;
      }),
    );
    const outcomes = await Promise.allSettled(tasks);
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('returns the call of the running task, even after a yield', async () => {
    const queue = new SerialQueue();
    const callOf = (method: string) => ({ method, isAnswered: false });
    const [a, b] = [callOf('a'), callOf('b')];
    const seen: unknown[] = [];
    const { send, sent } = signal();
    const long = queue.run(async () => {
      seen.push(queue.call);
      await queue.yieldTo(sent);
      seen.push(queue.call);
    }, a);
    await queue.run(() => void seen.push(queue.call), b);
    await queue.run(() => void seen.push(queue.call));
    send();
    await long;
    expect(seen).toEqual([a, b, null, a]);
    expect(queue.call).toBeNull();
  });

  it('runs other tasks while a task yields and resumes it behind them', async () => {
    const queue = new SerialQueue();
    const told: string[] = [];
    const { send, sent } = signal();
    const tell = (name: string) => queue.run(() => void told.push(name));
    const long = queue.run(async () => {
      told.push('begins');
      await queue.yieldTo(sent);
      told.push('goes on');
      await Promise.resolve();
      return told.push('ends');
    });
    await Promise.all([tell('a'), tell('b')]);
    expect(told).toEqual(['begins', 'a', 'b']);
    const last = queue.run(async () => {
      send();
      const later = tell('c');
      // Waits until the yielding task has joined the queue.
      for (let step = 0; step < 9; step++) await Promise.resolve();
      told.push('d');
      return { later };
    });
    await (await last).later;
    await long;
    expect(told).toEqual(['begins', 'a', 'b', 'd', 'c', 'goes on', 'ends']);
  });

  it('continues if the promise of a yielding task rejects', async () => {
    const queue = new SerialQueue();
    const failing = queue.run(() => queue.yieldTo(Promise.reject(new RangeError('no'))));
    await expect(failing).rejects.toThrow('no');
    expect(await queue.run(() => 1)).toBe(1);
  });

  it('settles before other tasks run and before the task resumes', async () => {
    const told: string[] = [];
    const queue = new SerialQueue(async () => void told.push('settle'));
    const { send, sent } = signal();
    const long = queue.run(async () => {
      told.push('begins');
      await queue.yieldTo(sent);
      told.push('ends');
    });
    await queue.run(() => void told.push('other'));
    send();
    await long;
    expect(told).toEqual([
      'settle',
      'begins',
      'settle',
      'settle',
      'other',
      'settle',
      'settle',
      'ends',
      'settle',
    ]);
  });

  it('starts no task while held and runs all tasks in order afterwards', async () => {
    const queue = new SerialQueue();
    const order: number[] = [];
    const [first, second] = [signal(), signal()];
    queue.hold(first.sent);
    const tasks = [1, 2, 3].map((task) => queue.run(() => void order.push(task)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    expect(queue.held).toBeInstanceOf(Promise);
    // The later of two holds counts.
    queue.hold(second.sent);
    first.send();
    second.send();
    await Promise.all(tasks);
    expect(order).toEqual([1, 2, 3]);
    expect(queue.held).toBeUndefined();
  });
});
