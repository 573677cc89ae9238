import { describe, expect, it } from 'vitest';
import { CallTimeoutError, ClientDisconnectedError } from '../../src/rpc/errors.ts';
import { CALL_LIMITS, CallSlots, type RequestCheck, requestCheck } from '../../src/rpc/request-check.ts';
import { unlessCancelled } from '../../src/scheduling/cancel-check.ts';
import { Scheduler } from '../../src/scheduling/scheduler.ts';
import { createFakeTime, type FakeTime, settleMicrotasks } from '../support/fake-time.ts';
import { type TestConnection, testConnection } from './rpc-harness.ts';

/** The check of a request that starts now, on its own chain. */
function interruptOf(connection: TestConnection, time: FakeTime, timeout: number): RequestCheck {
  const yielder = new Scheduler().createQueue();
  const slots = new CallSlots(CALL_LIMITS);
  return requestCheck(connection, { time, timeout, begunAt: time.clock.now(), yielder, slots });
}

const NEVER = new Promise<never>(() => {});

describe('requestCheck', () => {
  it('does not throw within the time limit', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 2.5);
    expect(check).not.toThrow();
    await time.advance(2_500);
    expect(check).not.toThrow();
  });

  it('throws after the time limit, with the limit and the option', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 2.5);
    await time.advance(2_501);
    expect(check).toThrow(CallTimeoutError);
    expect(check).toThrow('aborted after 2.5 s; raise the limit with --call-timeout');
  });

  it('excludes the time of an untimed wait', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 2.5);
    let begin = (): void => undefined;
    const waited = check.yielder.untimed(new Promise<void>((resolve) => (begin = resolve)));
    await time.advance(60_000);
    begin();
    await waited;

    await time.advance(2_500);
    expect(check).not.toThrow();
    await time.advance(1);
    expect(check).toThrow(CallTimeoutError);
  });

  it('ends an untimed wait if the client closes its connection', async () => {
    const connection = testConnection();
    const check = interruptOf(connection, createFakeTime(0), 2.5);
    const waited = check.yielder.untimed(NEVER);
    connection.close();
    await expect(waited).rejects.toThrow(ClientDisconnectedError);
  });

  it('a timeout of 0 means no limit', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 0);
    await time.advance(1e15);
    expect(check).not.toThrow();
    expect(check.during).toBeUndefined();
  });

  it('throws after the client disconnects', () => {
    const connection = testConnection();
    const check = interruptOf(connection, createFakeTime(0), 0);
    expect(check).not.toThrow();
    connection.close();
    expect(check).toThrow(ClientDisconnectedError);
  });

  it('ends a wait for other work at the time limit', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 2.5);
    await time.advance(1_000);
    const outcomes: unknown[] = [];
    unlessCancelled(NEVER, check).catch((error: unknown) => void outcomes.push(error));
    await time.advance(1_499);
    expect(outcomes).toEqual([]);
    await time.advance(1);
    expect(outcomes).toEqual([expect.any(CallTimeoutError)]);
  });

  it('returns the result of work that ends in time and clears its timer', async () => {
    const time = createFakeTime(0);
    const check = interruptOf(testConnection(), time, 2.5);
    expect(await unlessCancelled(Promise.resolve(7), check)).toBe(7);
    await expect(unlessCancelled(Promise.reject(new Error('none')), check)).rejects.toThrow('none');
    await time.advance(10_000, settleMicrotasks);
    expect(check).toThrow(CallTimeoutError);
  });
});

describe('call slot of a request', () => {
  it('an ended request gives up its place in the queue for a slot', () => {
    const time = createFakeTime(0);
    const yielder = new Scheduler().createQueue();
    const slots = new CallSlots({ perLane: 1, inAll: 1, waitingPerLane: 5 });
    const bounds = { time, timeout: 0, begunAt: 0, yielder, slots };
    const [first, second, third] = [0, 1, 2].map(() => requestCheck(testConnection(), bounds).yielder);
    expect(first?.admission()).toBeUndefined();
    expect(second?.admission()).toBeInstanceOf(Promise);
    second?.end();
    first?.end();
    expect(third?.admission()).toBeUndefined();
  });
});
