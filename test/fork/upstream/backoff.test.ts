import { describe, expect, it } from 'vitest';
import { backoffDelay, retryAfterDelay } from '../../../src/fork/upstream/request-rate.ts';

describe('the delay before a retry', () => {
  it('backoffDelay doubles with each failure up to 30 s, minus a random part', () => {
    const most = (failures: number): number => backoffDelay(1_000, failures, () => Uint8Array.of(255));
    expect([1, 2, 3, 4, 10].map(most)).toEqual([1_000, 2_000, 4_000, 8_000, 30_000]);
    expect(backoffDelay(1_000, 1, () => Uint8Array.of(0))).toBe(502);
  });

  it('retryAfterDelay reads seconds or a date, up to one minute', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterDelay('3', now)).toBe(3_000);
    expect(retryAfterDelay('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5_000);
    expect(retryAfterDelay('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect(retryAfterDelay('86400', now)).toBe(60_000);
    expect(retryAfterDelay('soon', now)).toBeNull();
    expect(retryAfterDelay(null, now)).toBeNull();
  });
});
