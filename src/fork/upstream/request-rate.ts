// Delays and rate limits of upstream requests.

import type { Timers, WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';

/** Maximum delay from a Retry-After header, in milliseconds. */
const MAX_RETRY_AFTER = 60_000;

const MAX_BACKOFF = 30_000;

/** Milliseconds before the first retry, unless the upstream limits its rate. Most failures are short. */
export const QUICK_RETRY = 50;

/**
 * Returns the milliseconds before the next attempt after `failures` (at least 1) failed ones. The delay
 * doubles each time. A random part of up to a half is subtracted, so that clients do not retry
 * simultaneously.
 */
export function backoffDelay(base: number, failures: number, random: RandomSource): number {
  const longest = Math.min(base * 2 ** (failures - 1), MAX_BACKOFF);
  const share = ((random(1)[0] ?? 0) + 1) / 256;
  return Math.round(longest * (0.5 + share / 2));
}

/**
 * Returns the delay of a Retry-After header in milliseconds. The header is a number of seconds or a date (RFC
 * 9110, 10.2.3); otherwise `null`. `now` is in milliseconds since 1970.
 */
export function retryAfterDelay(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  if (Number.isNaN(milliseconds)) return null;
  return Math.min(Math.max(milliseconds, 0), MAX_RETRY_AFTER);
}

/** Resolves after the delay, or when the signal aborts. */
export function pause(milliseconds: number, timers: Timers, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      ending.removeEventListener('abort', end);
      resolve();
    };
    const timer = timers.after(milliseconds, end);
    ending.addEventListener('abort', end);
  });
}

/** Approximate compute units of large providers, by method or namespace. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['eth_chainId', 0],
  ['eth_call', 26],
  ['eth_estimateGas', 87],
  ['eth_getLogs', 75],
  ['eth_getBlockReceipts', 500],
  ['eth_getProof', 21],
  ['debug', 309],
  ['trace', 309],
]);

const USUAL_PRICE = 20;

/** Returns the approximate compute units of a request. */
export function computeUnits(method: string): number {
  const [namespace = ''] = method.split('_', 1);
  return PRICES.get(method) ?? PRICES.get(namespace) ?? USUAL_PRICE;
}

/** A rate limit in compute units per second, with a burst of one second's units. */
export class ComputeBudget {
  readonly #perSecond: number;
  readonly #clock: WallClock;
  /** Time when the budget is full again, in milliseconds since 1970. */
  #paidAt = 0;

  constructor(perSecond: number, clock: WallClock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Spends units. Returns the milliseconds to wait before the request. */
  spend(units: number): number {
    const now = this.#clock.now();
    const wait = Math.max(0, this.#paidAt - now - 1_000);
    this.#paidAt = Math.max(this.#paidAt, now) + (units / this.#perSecond) * 1_000;
    return wait;
  }
}
