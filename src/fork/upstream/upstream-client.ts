// The client of an upstream: batching, deduplication, retries and failover.

import type { Timers, WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';
import { nextTurn } from '../../scheduling/interrupt.ts';
import { UpstreamError, UpstreamRefusalError } from '../errors.ts';
import type { HttpPost } from './http-post.ts';
import { backoffDelay, pause } from './request-rate.ts';
import { type CallAnswer, textOfCall, type UpstreamCall, type UpstreamTraffic } from './upstream-call.ts';
import {
  type BlockPin,
  EndpointFailure,
  type EndpointOptions,
  UpstreamEndpoint,
} from './upstream-endpoint.ts';

/** The options of requests to an upstream. */
export interface UpstreamOptions extends EndpointOptions {
  /** The number of times that all URLs are tried again before a call fails. */
  readonly retries: number;
  /** Milliseconds before the first retry; doubled before each further one. */
  readonly retryBackoff: number;
}

/** Everything that a client takes from outside. */
export interface UpstreamDependencies {
  readonly post: HttpPost;
  readonly clock: WallClock;
  /** These timers must keep the process alive. */
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Called about each request; optional. */
  readonly traffic?: UpstreamTraffic;
  /** See `EndpointDependencies`. */
  readonly isTrusted?: (url: string) => boolean;
}

/** A call without an answer yet. */
interface PendingCall extends UpstreamCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The outcome of one attempt at one endpoint, or at all, for the calls that were not answered. */
interface Trial {
  readonly left: readonly PendingCall[];
  readonly reason: string;
  readonly mayPass: boolean;
  readonly retryAfter: number | null;
  /** True when no server was reached. */
  readonly isUnreachable: boolean;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** The number of calls in one request; the large providers allow more. */
const BATCH_SIZE = 100;

/** The number of retries where a caller names none. */
export const USUAL_RETRIES = 5;

/**
 * The retries, and the milliseconds before the first of them, of what reaches no server before any has answered: it is mostly a URL
 * that is wrong, which its user should hear of within three seconds.
 */
const UNREACHABLE_RETRIES = 3;
const UNREACHABLE_BACKOFF = 400;

/**
 * Asks the upstream of a fork. Calls of one turn of the event loop are sent in one request, a call that is pending
 * already is not sent again, and failures are retried: at the other URLs first, then after a delay.
 */
export class UpstreamClient {
  readonly #options: UpstreamOptions;
  readonly #dependencies: UpstreamDependencies;
  readonly #closing = new AbortController();
  readonly #inFlight = new Map<string, Promise<unknown>>();
  /** The origins that the headers, which can hold a secret, may be sent to: those they were configured with. */
  readonly #origins: ReadonlySet<string>;
  #endpoints: readonly UpstreamEndpoint[];
  /** The index of the endpoint that answered last. */
  #preferred = 0;
  /** False until the upstream has answered anything. */
  #hasAnswered = false;
  #isReported = false;
  #pin: BlockPin | undefined;
  #queue: PendingCall[] = [];

  /** `urls`: at least one, the best first. */
  constructor(urls: readonly string[], options: UpstreamOptions, dependencies: UpstreamDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#origins = new Set(urls.map(originOf));
    this.#endpoints = this.#endpointsAt(urls);
  }

  /** The URLs as given, including their secrets. */
  get urls(): readonly string[] {
    return this.#endpoints.map(({ url }) => url);
  }

  /** The URLs with their secrets masked. */
  get names(): readonly string[] {
    return this.#endpoints.map(({ name }) => name);
  }

  /**
   * Uses other URLs from now on, and does not send the headers to other servers. The endpoints must have the pinned
   * block; if one has not, that is its own fault and not reported as a mismatch.
   */
  useUrls(urls: readonly string[]): void {
    this.#endpoints = this.#endpointsAt(urls);
    this.#preferred = 0;
    if (this.#pin !== undefined) this.pinTo(this.#pin, () => {});
  }

  #endpointsAt(urls: readonly string[]): UpstreamEndpoint[] {
    const { isTrusted } = this.#dependencies;
    return urls.map((url) => {
      const isKnown = this.#origins.has(originOf(url)) && (isTrusted?.(url) ?? true);
      const headers = isKnown ? this.#options.headers : {};
      return new UpstreamEndpoint(
        url,
        { ...this.#options, headers },
        this.#dependencies,
        this.#closing.signal,
      );
    });
  }

  /**
   * From now on, uses only endpoints that have this block under this hash: each is checked before its first call. Calls
   * `onMismatch` when one has another block.
   */
  pinTo(pin: BlockPin, onMismatch: () => void): void {
    this.#pin = pin;
    for (const endpoint of this.#endpoints) endpoint.pinTo(pin, onMismatch);
  }

  /**
   * Returns the upstream's answer. Rejects with {@link UpstreamRefusalError} when it refuses, with
   * {@link UpstreamError} when there is no answer after all retries.
   */
  ask(call: UpstreamCall): Promise<unknown> {
    const text = textOfCall(call);
    const known = this.#inFlight.get(text);
    if (known !== undefined) return known;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#queue.push({ ...call, resolve, reject });
    }).finally(() => this.#inFlight.delete(text));
    this.#inFlight.set(text, answer);
    if (this.#queue.length === 1) void nextTurn().then(() => this.#sendQueue());
    return answer;
  }

  #sendQueue(): void {
    const calls = this.#queue;
    this.#queue = [];
    for (let start = 0; start < calls.length; start += BATCH_SIZE) {
      void this.#answer(calls.slice(start, start + BATCH_SIZE));
    }
  }

  #firstHost(): string {
    return this.#endpoints[this.#preferred % this.#endpoints.length]?.host ?? '';
  }

  async #answer(calls: readonly PendingCall[]): Promise<void> {
    const { traffic } = this.#dependencies;
    traffic?.begun(this.#firstHost());
    try {
      await this.#tryUntilAnswered(calls);
    } catch (error) {
      // Whatever the error is, the callers must receive it.
      for (const { reject } of calls) reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      traffic?.ended();
    }
  }

  async #tryUntilAnswered(calls: readonly PendingCall[]): Promise<void> {
    let left = calls;
    for (let failures = 1; ; failures++) {
      const trial = await this.#tryAll(left);
      left = trial.left;
      if (left.length === 0) return;
      const { retries, retryBackoff } = this.#patienceAfter(trial);
      if (failures > retries || !trial.mayPass || this.#closing.signal.aborted) {
        throw new UpstreamError(giveUpWords(trial, failures));
      }
      const { timers, random } = this.#dependencies;
      const delay = trial.retryAfter ?? backoffDelay(retryBackoff, failures, random);
      await pause(delay, timers, this.#closing.signal);
    }
  }

  /**
   * Returns how often and how patiently calls are tried again: those that never reached a server a few times, unless the caller asks for
   * more retries than there usually are, since it knows then that the server is yet to come.
   */
  #patienceAfter({
    isUnreachable,
    mayPass,
    reason,
  }: Trial): Pick<UpstreamOptions, 'retries' | 'retryBackoff'> {
    const { retries, retryBackoff } = this.#options;
    if (!isUnreachable || !mayPass || this.#hasAnswered) return { retries, retryBackoff };
    if (retries > 0 && !this.#isReported) this.#dependencies.traffic?.unreachable(reason);
    this.#isReported = true;
    if (retries > USUAL_RETRIES) return { retries, retryBackoff };
    return {
      retries: Math.min(retries, UNREACHABLE_RETRIES),
      retryBackoff: Math.min(retryBackoff, UNREACHABLE_BACKOFF),
    };
  }

  /** Tries the endpoints one after the other, beginning with the one that answered last. */
  async #tryAll(calls: readonly PendingCall[]): Promise<Trial> {
    const endpoints = this.#endpoints;
    const first = this.#preferred;
    let left = calls;
    const reasons: string[] = [];
    let mayPass = false;
    let isUnreachable = true;
    let retryAfter: number | null = null;
    for (let step = 0; step < endpoints.length && left.length > 0; step++) {
      const place = (first + step) % endpoints.length;
      const endpoint = endpoints[place];
      if (endpoint === undefined) continue;
      const trial = await tryOne(endpoint, left);
      const answers = left.length - trial.left.length;
      if (answers > 0) this.#hasAnswered = true;
      if (answers > 0) this.#dependencies.traffic?.answered(endpoint.host, answers);
      left = trial.left;
      if (left.length === 0) {
        this.#preferred = place;
        break;
      }
      reasons.push(`${endpoint.name}: ${trial.reason}`);
      mayPass ||= trial.mayPass;
      isUnreachable &&= trial.isUnreachable;
      if (trial.retryAfter !== null) retryAfter = Math.min(retryAfter ?? trial.retryAfter, trial.retryAfter);
    }
    return { left, reason: reasons.join('; '), mayPass, retryAfter, isUnreachable };
  }

  /** Cancels all pending calls, for good. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#dependencies.traffic?.closed();
  }
}

async function tryOne(endpoint: UpstreamEndpoint, calls: readonly PendingCall[]): Promise<Trial> {
  let answers: readonly CallAnswer[];
  try {
    answers = await endpoint.ask(calls);
  } catch (error) {
    if (!(error instanceof EndpointFailure)) throw error;
    const { message, mayPass, retryAfter, isUnreachable } = error;
    return { left: calls, reason: message, mayPass, retryAfter, isUnreachable };
  }
  let reason = '';
  const left = calls.filter((call, index) => {
    const answer = answers[index];
    if (answer?.kind === 'result') call.resolve(answer.result);
    else if (answer?.kind === 'refused') call.reject(new UpstreamRefusalError(answer.refusal));
    else {
      reason = answer?.reason ?? 'no answer';
      return true;
    }
    return false;
  });
  return { left, reason, mayPass: true, retryAfter: null, isUnreachable: false };
}

function giveUpWords({ left, reason }: Trial, attempts: number): string {
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  return `no response from the fork URL to ${left[0]?.method ?? 'a request'} after ${tries}: ${reason}`;
}
