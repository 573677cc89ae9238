import type { RandomSource } from '../../primitives/random.ts';

/** The longest that is waited because the upstream says so, in milliseconds. */
const LONGEST_RETRY_AFTER = 60_000;

const LONGEST_BACKOFF = 30_000;

/**
 * Milliseconds to wait before the attempt after `failures` failed ones (1 or more): twice as long each time, a random
 * half of it taken off, so that those who failed together do not come again together.
 */
export function backoffDelay(base: number, failures: number, random: RandomSource): number {
  const longest = Math.min(base * 2 ** (failures - 1), LONGEST_BACKOFF);
  const share = ((random(1)[0] ?? 0) + 1) / 256;
  return Math.round(longest * (0.5 + share / 2));
}

/**
 * Milliseconds that a Retry-After header asks for, at `now` (milliseconds since 1970): a count of seconds or a date (RFC
 * 9110, 10.2.3); `null` when it asks for nothing that can be read.
 */
export function retryAfterDelay(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  if (Number.isNaN(milliseconds)) return null;
  return Math.min(Math.max(milliseconds, 0), LONGEST_RETRY_AFTER);
}
