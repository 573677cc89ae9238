// The client of an upstream: batching, retries and failover.

import { setMaxListeners } from 'node:events';
import type { Timers, WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';
import { UpstreamError, UpstreamRejectionError } from '../errors.ts';
import { EndpointFailure } from './endpoint-failure.ts';
import type { HeadDependencies } from './head-subscription.ts';
import type { CreateWatch, HeadWatch } from './head-watch.ts';
import type { HttpPost } from './http-post.ts';
import { backoffDelay, pause, QUICK_RETRY } from './request-rate.ts';
import { NO_ANSWER } from './single-requests.ts';
import type { BlockPin, CallAnswer, UpstreamCall, UpstreamTraffic } from './upstream-call.ts';
import { type EndpointOptions, UpstreamEndpoint } from './upstream-endpoint.ts';
import type { SocketTarget } from './upstream-socket.ts';
import { USUAL_RETRIES } from './usual-retries.ts';

export interface UpstreamOptions extends EndpointOptions {
  /** The number of retries at all URLs before a call fails. */
  readonly retries: number;
  /**
   * Milliseconds before the second retry, or before the first one at a rate limit; doubled for each further
   * one.
   */
  readonly retryBackoff: number;
}

/** The external dependencies of a client. */
export interface UpstreamDependencies {
  readonly post: HttpPost;
  readonly clock: WallClock;
  /** These timers must keep the process alive. */
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Called for each request; optional. */
  readonly traffic?: UpstreamTraffic;
  /** See `EndpointDependencies`. */
  readonly isTrusted?: (url: string) => boolean;
  /** Required by {@link UpstreamClient.watchWith}. */
  readonly heads?: HeadDependencies;
}

/** A call without a response yet. */
interface PendingCall extends UpstreamCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The outcome of an attempt at one or all endpoints. `left` are the calls without a response. */
interface Trial {
  readonly left: readonly PendingCall[];
  readonly reason: string;
  readonly mayPass: boolean;
  readonly retryAfter: number | null;
  /** True if no server was reached. */
  readonly isUnreachable: boolean;
  readonly isRateLimited: boolean;
}

/** The outcome of an attempt at one endpoint, and the reasons of calls whose state it does not store. */
interface EndpointTrial extends Trial {
  readonly pruned: ReadonlyMap<PendingCall, string>;
}

/** The endpoints of the upstream, the best first. */
interface Route {
  readonly endpoints: readonly UpstreamEndpoint[];
  /** The index of the endpoint with the last response. */
  preferred: number;
  /** False until the first response. */
  hasAnswered: boolean;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Calls per request. Large providers allow more. */
const BATCH_SIZE = 100;

/**
 * Retries, and milliseconds before the second one, while no server was ever reached. The URL is then usually
 * wrong, and its user should see the error within three seconds.
 */
const UNREACHABLE_RETRIES = 4;
const UNREACHABLE_BACKOFF = 400;

/**
 * Sends the requests of a fork to its upstream. Calls from one iteration of the event loop share a request.
 * Failures are retried at the other URLs first, then after a delay.
 */
export class UpstreamClient {
  readonly #options: UpstreamOptions;
  readonly #dependencies: UpstreamDependencies;
  readonly #closing = new AbortController();
  /** The origins of the configured URLs. Headers can contain secrets and are sent to these origins only. */
  readonly #origins: ReadonlySet<string>;
  #route: Route;
  #isReported = false;
  #pin: BlockPin | undefined;
  #queue: PendingCall[] = [];
  /** One per chain that follows the upstream. */
  readonly #watches = new Set<HeadWatch>();

  /** `urls` has at least one URL, the best first. */
  constructor(urls: readonly string[], options: UpstreamOptions, dependencies: UpstreamDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    // Each pending request has a listener.
    setMaxListeners(0, this.#closing.signal);
    this.#origins = new Set(urls.map(originOf));
    this.#route = this.#routeTo(urls);
  }

  /** The URLs as given, including their secrets. */
  get urls(): readonly string[] {
    return this.#route.endpoints.map(({ url }) => url);
  }

  /** True after a rate-limit error, because each call then waits for a budget. */
  get isLimited(): boolean {
    return this.#route.endpoints.some(({ isLimited }) => isLimited);
  }

  /** The URLs with masked secrets. */
  get names(): readonly string[] {
    return this.#route.endpoints.map(({ name }) => name);
  }

  /**
   * Switches to other URLs. Headers are not sent to other servers. The endpoints must have the pinned block;
   * an endpoint without it fails, without a mismatch report. With `check`, the URLs are first asked by it.
   * If it rejects, or if an endpoint has no pinned block, the present URLs stay.
   */
  async useUrls(
    urls: readonly string[],
    check: ((ask: UpstreamClient['ask']) => Promise<void>) | null,
  ): Promise<void> {
    const route = this.#routeTo(urls);
    const ask: UpstreamClient['ask'] = (call) =>
      new Promise((resolve, reject) => void this.#answer([{ ...call, resolve, reject }], () => route));
    await check?.(ask);
    if (this.#pin !== undefined) {
      for (const endpoint of route.endpoints) endpoint.pinTo(this.#pin, () => {});
      // A pinned endpoint checks its block before the next call.
      await check?.(ask);
    }
    this.#route = route;
    for (const watch of this.#watches) watch.moveTo(this.#headTarget());
  }

  /** Keeps a watch at the present first URL until `stop`. `create` creates it (see `watchHeads`). */
  watchWith(create: CreateWatch): Pick<HeadWatch, 'stop'> {
    const { heads } = this.#dependencies;
    if (heads === undefined) throw new Error('a watch requires the dependency heads');
    const watch = create(this.#headTarget(), heads);
    this.#watches.add(watch);
    return {
      stop: () => {
        watch.stop();
        this.#watches.delete(watch);
      },
    };
  }

  #headTarget(): SocketTarget {
    const [url = ''] = this.urls;
    return { url, headers: this.#headersFor(url), closing: this.#closing.signal };
  }

  #headersFor(url: string): Readonly<Record<string, string>> {
    const { isTrusted } = this.#dependencies;
    const isKnown = this.#origins.has(originOf(url)) && (isTrusted?.(url) ?? true);
    return isKnown ? this.#options.headers : {};
  }

  #routeTo(urls: readonly string[]): Route {
    const endpoints = urls.map((url) => {
      return new UpstreamEndpoint(
        url,
        { ...this.#options, headers: this.#headersFor(url) },
        this.#dependencies,
        this.#closing.signal,
      );
    });
    return { endpoints, preferred: 0, hasAnswered: false };
  }

  /**
   * Limits requests to endpoints with this block and hash. Each endpoint is checked before its first call.
   * Calls `onMismatch` if an endpoint has another block.
   */
  pinTo(pin: BlockPin, onMismatch: () => void): void {
    this.#pin = pin;
    for (const endpoint of this.#route.endpoints) endpoint.pinTo(pin, onMismatch);
  }

  /**
   * Returns the upstream's response. Rejects with {@link UpstreamRejectionError} if the upstream rejects the
   * call, and with {@link UpstreamError} after all retries.
   */
  ask(call: UpstreamCall): Promise<unknown> {
    if (this.#queue.length === 0) setImmediate(() => this.#sendQueue());
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...call, resolve, reject });
    });
  }

  #sendQueue(): void {
    const calls = this.#queue;
    this.#queue = [];
    for (let start = 0; start < calls.length; start += BATCH_SIZE) {
      void this.#answer(calls.slice(start, start + BATCH_SIZE), () => this.#route);
    }
  }

  /** `routeNow` returns the route of the next attempt. */
  async #answer(calls: readonly PendingCall[], routeNow: () => Route): Promise<void> {
    const { traffic } = this.#dependencies;
    traffic?.begun(firstHost(routeNow()));
    try {
      await this.#tryUntilAnswered(calls, routeNow);
    } catch (error) {
      // The callers must receive any error.
      for (const { reject } of calls) reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      traffic?.ended();
    }
  }

  async #tryUntilAnswered(calls: readonly PendingCall[], routeNow: () => Route): Promise<void> {
    let left = calls;
    let backoffs = 0;
    for (let failures = 1; ; failures++) {
      const route = routeNow();
      const trial = await this.#tryAll(left, route);
      left = failures > 1 || trial.left.every(isHint) ? withoutHints(trial) : trial.left;
      if (left.length === 0) return;
      const { retries, retryBackoff } = this.#patienceAfter(trial, route);
      if (failures > retries || !trial.mayPass || this.#closing.signal.aborted) {
        throw new UpstreamError(giveUpWords(trial, failures));
      }
      const { timers, random } = this.#dependencies;
      const isQuick = failures === 1 && !trial.isRateLimited;
      if (!isQuick) backoffs++;
      const usualDelay = isQuick
        ? backoffDelay(Math.min(QUICK_RETRY, retryBackoff), 1, random)
        : backoffDelay(retryBackoff, backoffs, random);
      // A server that asks for no delay at all gets the usual one.
      const delay = trial.retryAfter || usualDelay;
      await pause(delay, timers, this.#closing.signal);
    }
  }

  /**
   * Returns the retry options. If no server was ever reached, only a few retries follow. An option above the
   * default number means that the server will start later, so it applies in full.
   */
  #patienceAfter(
    { isUnreachable, mayPass, reason }: Trial,
    { hasAnswered }: Route,
  ): Pick<UpstreamOptions, 'retries' | 'retryBackoff'> {
    const { retries, retryBackoff } = this.#options;
    if (!isUnreachable || !mayPass || hasAnswered) return { retries, retryBackoff };
    if (retries > 0 && !this.#isReported) this.#dependencies.traffic?.unreachable(reason);
    this.#isReported = true;
    if (retries > USUAL_RETRIES) return { retries, retryBackoff };
    return {
      retries: Math.min(retries, UNREACHABLE_RETRIES),
      retryBackoff: Math.min(retryBackoff, UNREACHABLE_BACKOFF),
    };
  }

  /** Tries the endpoints in sequence, starting with the last successful one. */
  async #tryAll(calls: readonly PendingCall[], route: Route): Promise<Trial> {
    const { endpoints, preferred: first } = route;
    let left = calls;
    const reasons: string[] = [];
    let mayPass = false;
    let isUnreachable = true;
    let isRateLimited = false;
    let retryAfter: number | null = null;
    const pruned = new Map<PendingCall, string[]>();
    for (let step = 0; step < endpoints.length && left.length > 0; step++) {
      const place = (first + step) % endpoints.length;
      const endpoint = endpoints[place];
      if (endpoint === undefined) continue;
      const trial = await tryOne(endpoint, left);
      const answers = left.length - trial.left.length;
      if (answers > 0) route.hasAnswered = true;
      if (answers > 0) this.#dependencies.traffic?.answered(endpoint.host, answers);
      left = trial.left;
      if (left.length === 0) {
        route.preferred = place;
        break;
      }
      reasons.push(`${endpoint.name}: ${trial.reason}`);
      mayPass ||= trial.mayPass;
      isUnreachable &&= trial.isUnreachable;
      isRateLimited ||= trial.isRateLimited;
      for (const [call, reason] of trial.pruned)
        pruned.set(call, [...(pruned.get(call) ?? []), `${endpoint.name}: ${reason}`]);
      if (trial.retryAfter !== null) retryAfter = Math.min(retryAfter ?? trial.retryAfter, trial.retryAfter);
    }
    const isLost = (call: PendingCall): boolean => pruned.get(call)?.length === endpoints.length;
    for (const call of left) if (isLost(call)) call.reject(prunedError(call, pruned.get(call) ?? []));
    left = left.filter((call) => !isLost(call));
    return { left, reason: reasons.join('; '), mayPass, retryAfter, isUnreachable, isRateLimited };
  }

  /** Cancels all pending calls and watches, permanently. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    for (const watch of this.#watches) watch.stop();
    this.#closing.abort();
    this.#dependencies.traffic?.closed();
  }
}

function isHint({ isOptional }: PendingCall): boolean {
  return isOptional === true;
}

/** Rejects the hints of a failed attempt. Returns the other calls. */
function withoutHints({ left, reason }: Trial): readonly PendingCall[] {
  for (const call of left) if (isHint(call)) call.reject(new UpstreamError(reason));
  return left.filter((call) => !isHint(call));
}

function firstHost({ endpoints, preferred }: Route): string {
  return endpoints[preferred % endpoints.length]?.host ?? '';
}

async function tryOne(endpoint: UpstreamEndpoint, calls: readonly PendingCall[]): Promise<EndpointTrial> {
  let answers: readonly CallAnswer[];
  try {
    answers = await endpoint.ask(calls);
  } catch (error) {
    if (!(error instanceof EndpointFailure)) throw error;
    const { message, mayPass, retryAfter, isUnreachable, isRateLimited } = error;
    return {
      left: calls,
      reason: message,
      mayPass,
      retryAfter,
      isUnreachable,
      isRateLimited,
      pruned: new Map(),
    };
  }
  let reason = '';
  let isRateLimited = false;
  let retryAfter: number | null = null;
  const pruned = new Map<PendingCall, string>();
  const left = calls.filter((call, index) => {
    const answer = answers[index] ?? NO_ANSWER;
    if (answer.kind === 'result') call.resolve(answer.result);
    else if (answer.kind === 'refused') call.reject(new UpstreamRejectionError(answer.refusal));
    else {
      reason ||= answer.reason;
      isRateLimited ||= answer.isRateLimited === true;
      retryAfter ??= answer.retryAfter ?? null;
      if (answer.isPruned === true) pruned.set(call, answer.reason);
      return true;
    }
    return false;
  });
  const mayPass = left.length > pruned.size;
  return { left, reason, mayPass, retryAfter, isUnreachable: false, isRateLimited, pruned };
}

function prunedError({ method }: PendingCall, reasons: readonly string[]): UpstreamError {
  return new UpstreamError(
    `the fork URL does not store the state for ${method} (${reasons.join('; ')}); use an archive node or a newer block`,
  );
}

function giveUpWords({ left, reason }: Trial, attempts: number): string {
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  return `no response from the fork URL to ${left[0]?.method ?? 'a request'} after ${tries}: ${reason}`;
}
