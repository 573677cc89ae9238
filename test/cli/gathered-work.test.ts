import { describe, expect, it } from 'vitest';
import { GatheredWork, OrderedWriting } from '../../src/log/log-writer.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { createFakeTime } from '../support/fake-time.ts';

describe('GatheredWork', () => {
  it('runs in the next turn after a pause, and together with work that follows quickly', async () => {
    const time = createFakeTime(0);
    const done: number[] = [];
    const work = new GatheredWork(time.timers, { now: () => 0 });
    work.add(() => done.push(1));
    expect(done).toEqual([]);
    await nextIteration();
    expect(done).toEqual([1]);
    work.add(() => done.push(2));
    work.add(() => done.push(3));
    await nextIteration();
    expect(done).toEqual([1]);
    await time.advance(20);
    expect(done).toEqual([1, 2, 3]);
    await time.advance(20);
    work.add(() => done.push(4));
    await nextIteration();
    expect(done).toEqual([1, 2, 3, 4]);
  });

  it('continues in later turns after a time slice', async () => {
    const time = createFakeTime(0);
    const done: number[] = [];
    let now = 0;
    const work = new GatheredWork(time.timers, { now: () => now });
    for (const number of [1, 2, 3]) {
      work.add(() => {
        now += 3;
        done.push(number);
      });
    }
    await nextIteration();
    expect(done).toEqual([1, 2]);
    await nextIteration();
    expect(done).toEqual([1, 2, 3]);
  });

  it('runs immediately when the log is closed', () => {
    const time = createFakeTime(0);
    const done: number[] = [];
    const work = new GatheredWork(time.timers, { now: () => 0 });
    work.add(() => done.push(1));
    work.run();
    expect(done).toEqual([1]);
  });
});

describe('OrderedWriting', () => {
  it('waits for earlier entries and continues after a failure', async () => {
    const written: string[] = [];
    const writing = new OrderedWriting((error) => written.push(String(error)));
    const later = deferred<string>();
    writing.write(() => written.push('first'));
    writing.writeWhen(later.promise, (text) => written.push(text));
    writing.writeWhen(Promise.reject(new Error('no')), () => written.push('never'));
    writing.write(() => written.push('last'));
    await nextIteration();
    expect(written).toEqual(['first']);
    later.resolve('second');
    await writing.end();
    expect(written).toEqual(['first', 'second', 'Error: no', 'last']);
  });
});

function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
