import { describe, expect, it, vi } from 'vitest';
import type { CallToken } from '../../src/chain/changes.ts';
import { ExplainingEnd, FailedCalls } from '../../src/log/failure-decoder.ts';

const FACTS = { failure: 'reverted', subject: null } as const;

function call(): CallToken {
  return { method: 'eth_call', isAnswered: false };
}

describe('FailedCalls', () => {
  it('explains calls one by one, with at most 32 pending', async () => {
    const failedCalls = new FailedCalls(() => undefined);
    const calls = Array.from({ length: 33 }, call);
    let running = 0;
    const explain = async () => {
      running++;
      expect(running).toBe(1);
      await Promise.resolve();
      running--;
      return FACTS;
    };
    for (const each of calls) failedCalls.add(each, 1n, explain);
    for (const each of calls.slice(0, 32)) expect(await failedCalls.of(each)).toBe(FACTS);
    const [last] = calls.slice(-1);
    expect(last && failedCalls.of(last)).toBeUndefined();
    await new Promise(setImmediate);
    const later = call();
    failedCalls.add(later, 1n, explain);
    expect(await failedCalls.of(later)).toBe(FACTS);
  });

  it('explains pending calls up to 200 million gas in total', async () => {
    const failedCalls = new FailedCalls(() => undefined);
    const [first, second, third] = [call(), call(), call()];
    failedCalls.add(first, 150_000_000n, async () => FACTS);
    failedCalls.add(second, 50_000_001n, async () => FACTS);
    failedCalls.add(third, 50_000_000n, async () => FACTS);
    expect(failedCalls.of(second)).toBeUndefined();
    expect([await failedCalls.of(first), await failedCalls.of(third)]).toEqual([FACTS, FACTS]);
    await new Promise(setImmediate);
    failedCalls.add(second, 200_000_000n, async () => FACTS);
    expect(await failedCalls.of(second)).toBe(FACTS);
  });

  it('reports a failed explanation as internal error and returns null', async () => {
    const onError = vi.fn();
    const failedCalls = new FailedCalls(onError);
    const [broken, next] = [call(), call()];
    const bug = new Error('a bug');
    failedCalls.add(broken, 1n, () => Promise.reject(bug));
    failedCalls.add(next, 1n, async () => FACTS);
    expect(await failedCalls.of(broken)).toBeNull();
    expect(await failedCalls.of(next)).toBe(FACTS);
    expect(onError.mock.calls).toEqual([[bug]]);
  });
});

describe('ExplainingEnd', () => {
  it('interrupts running work and current and later waits', async () => {
    const end = new ExplainingEnd();
    const { checkCancelled } = end;
    const never = new Promise<never>(() => undefined);
    expect(() => checkCancelled()).not.toThrow();
    expect(await checkCancelled.during?.(Promise.resolve(7))).toBe(7);
    await expect(checkCancelled.during?.(Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
    const awaited = checkCancelled.during?.(never);
    end.end();
    await expect(awaited).rejects.toMatchObject({ code: -32000, message: 'the log is closed' });
    await expect(checkCancelled.during?.(never)).rejects.toMatchObject({ message: 'the log is closed' });
    expect(() => checkCancelled()).toThrow('the log is closed');
  });
});
