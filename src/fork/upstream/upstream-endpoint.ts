import type { Timers, WallClock } from '../../primitives/clock.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantFixedData } from '../../wire/tolerant.ts';
import { BatchSupport } from './batch-support.ts';
import { EndpointFailure } from './endpoint-failure.ts';
import { causeOf, connectionWords, shortenedAnswer, withoutText } from './endpoint-text.ts';
import { type HttpAnswer, type HttpPost, isUnreachable, mayPassError } from './http-post.ts';
import { maskHost, maskSecrets, maskUrl } from './mask-url.ts';
import { isRateLimit, TOO_MANY_REQUESTS, withoutProviderErrors } from './provider-errors.ts';
import { ComputeBudget, computeUnits, pause, retryAfterDelay } from './request-rate.ts';
import { readAnswer, readAnswers, rpcErrorOf } from './rpc-answer.ts';
import { failedCall, NO_ANSWER, sendSingly } from './single-requests.ts';
import {
  type BlockPin,
  blockQuestion,
  type CallAnswer,
  isAnswerTo,
  PINNED_BLOCK,
  type UpstreamCall,
} from './upstream-call.ts';

/** The timeout and rate limit of an endpoint. */
export interface EndpointOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The response timeout in milliseconds. */
  readonly timeout: number;
  /** Compute units per second. `null`: the default limit, which applies after the first rate limit error. */
  readonly computeUnitsPerSecond: number | null;
  /** True to wait only on the upstream's request. */
  readonly noRateLimit: boolean;
}

/** The external dependencies of an endpoint. */
export interface EndpointDependencies {
  readonly post: HttpPost;
  readonly clock: WallClock;
  readonly timers: Timers;
  /**
   * True for a URL from the node's user. For other URLs, errors omit the response text, which could be
   * private, and no headers are sent. Absent if all URLs are the user's.
   */
  readonly isTrusted?: (url: string) => boolean;
}

const USUAL_COMPUTE_UNITS = 330;
/** The id of a call outside a batch. */
const ONLY_ID = 0;
const OK = 200;
/** Rootstock's nodes send it with every JSON-RPC error. */
const BAD_REQUEST = 400;
const MAX_QUOTE_LENGTH = 200;

/** Statuses below 500 that may be temporary. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, TOO_MANY_REQUESTS]);

/** The responses to a batch in call order; `undefined` for a call without a response. */
interface BatchOutcome {
  readonly answers: readonly (CallAnswer | undefined)[];
  readonly isRejected: boolean;
}

/** True if a later request may succeed after this HTTP status. */
function mayPassAfter(status: number): boolean {
  return status >= 500 || PASSING_STATUSES.has(status);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One URL of the upstream, with the state of its rate limit and its check. */
export class UpstreamEndpoint {
  /** The URL with its secrets. */
  readonly url: string;
  /** The URL with masked secrets. */
  readonly name: string;
  /** Host and port of the URL, without secrets. */
  readonly host: string;
  readonly #options: EndpointOptions;
  readonly #dependencies: EndpointDependencies;
  readonly #closing: AbortSignal;
  #budget: ComputeBudget | null;
  readonly #batches = new BatchSupport();
  #hasAnswered = false;
  /** True if the endpoint answered before it was pinned. The pinned block then probably came from it. */
  #hadAnswered = false;
  #pin: BlockPin | undefined;
  #onMismatch: () => void = () => {};
  /** The check of the pinned block; `undefined` before the first check and after a failed one. */
  #check: Promise<void> | undefined;
  #takesHashes = false;
  /** False if errors must not contain response text. */
  readonly #isQuoted: boolean;

  /** `closing` aborts all pending work. */
  constructor(
    url: string,
    options: EndpointOptions,
    dependencies: EndpointDependencies,
    closing: AbortSignal,
  ) {
    this.url = url;
    this.name = maskUrl(url);
    this.host = maskHost(new URL(url));
    this.#options = options;
    this.#dependencies = dependencies;
    this.#closing = closing;
    this.#isQuoted = dependencies.isTrusted?.(url) ?? true;
    const { computeUnitsPerSecond, noRateLimit } = options;
    this.#budget =
      noRateLimit || computeUnitsPerSecond === null
        ? null
        : new ComputeBudget(computeUnitsPerSecond, dependencies.clock);
  }

  /** True after a rate-limit error. Each call then waits for the default budget. */
  get isLimited(): boolean {
    return this.#budget !== null && this.#options.computeUnitsPerSecond === null;
  }

  /**
   * Requires a check for this block before further requests. Calls `onMismatch` if the endpoint has another
   * block with this number.
   */
  pinTo(pin: BlockPin, onMismatch: () => void): void {
    this.#pin = pin;
    this.#hadAnswered = this.#hasAnswered;
    this.#onMismatch = onMismatch;
    this.#check = undefined;
  }

  /** Returns the responses in call order. Rejects with {@link EndpointFailure} without any response. */
  async ask(calls: readonly UpstreamCall[]): Promise<CallAnswer[]> {
    const pin = this.#pin;
    if (pin === undefined) return this.#checked(calls, await this.#exchange(calls));
    this.#check ??= this.#checkPin(pin);
    const check = this.#check;
    try {
      await check;
    } catch (error) {
      if (this.#check === check) this.#check = undefined;
      throw error;
    }
    return this.#checked(calls, await this.#exchange(calls.map((call) => this.#namingBlock(call, pin))));
  }

  /** An invalid response counts as a failure, because the next endpoint may return a valid one. */
  #checked(calls: readonly UpstreamCall[], answers: readonly CallAnswer[]): CallAnswer[] {
    return answers.map((answer, index) => {
      const call = calls[index];
      if (call === undefined || answer.kind !== 'result' || isAnswerTo(call, answer.result)) return answer;
      return { kind: 'failed', reason: this.#nonsense(answer.result) };
    });
  }

  #namingBlock({ params, ...call }: UpstreamCall, pin: BlockPin): UpstreamCall {
    const { number, hash } = call.at ?? pin;
    const block = this.#takesHashes ? { blockHash: toHex(hash) } : toQuantity(number);
    return { ...call, params: params.map((param) => (param === PINNED_BLOCK ? block : param)) };
  }

  /** Checks that the endpoint has the block, and whether it supports blocks by hash (EIP-1898). */
  async #checkPin({ number, hash }: BlockPin): Promise<void> {
    const own = toHex(hash);
    const [block, balance] = await this.#exchange([
      blockQuestion(toQuantity(number), false),
      { method: 'eth_getBalance', params: [`0x${'0'.repeat(40)}`, { blockHash: own }], expects: 'quantity' },
    ]);
    if (block?.kind === 'failed') {
      const { reason, isPruned = false, ...facts } = block;
      throw new EndpointFailure(reason, { ...facts, mayPass: !isPruned });
    }
    if (block?.kind === 'refused')
      throw new EndpointFailure(block.refusal.message.slice(0, MAX_QUOTE_LENGTH));
    const found = this.#hashIn(block?.result);
    if (found !== own) {
      // A balanced provider can have nodes without the newest block.
      const isLagging = found === null && this.#hadAnswered;
      if (!isLagging) this.#onMismatch();
      const fault = found === null ? `it has no block ${number}` : `its block ${number} is ${found}`;
      throw new EndpointFailure(`${fault}, but the fork block is ${own}`, { mayPass: isLagging });
    }
    this.#takesHashes = balance?.kind === 'result' && typeof balance.result === 'string';
  }

  #hashIn(block: unknown): string | null {
    if (block === null) return null;
    const hash = tolerantFixedData(asObject(block)?.hash, 32);
    if (hash === undefined) throw new EndpointFailure(this.#nonsense(block));
    return toHex(hash);
  }

  #nonsense(answer: unknown): string {
    if (!this.#isQuoted) return 'its response is invalid';
    const quote = this.#masked(JSON.stringify(answer) ?? 'nothing').slice(0, MAX_QUOTE_LENGTH);
    return `its response is invalid: ${quote}`;
  }

  async #exchange(calls: readonly UpstreamCall[]): Promise<CallAnswer[]> {
    const answers = await this.#answersTo(calls);
    this.#hasAnswered = true;
    const judged = answers.map((answer, index) => {
      const call = calls[index];
      return call === undefined ? answer : withoutProviderErrors(call, answer, call.at ?? this.#pin);
    });
    if (judged.some((answer) => answer.kind === 'failed' && answer.isRateLimited === true)) this.#slowDown();
    return judged.map((answer) => {
      if (this.#isQuoted) return shortenedAnswer(answer, (text) => this.#masked(text));
      return answer.kind === 'result' ? answer : withoutText(answer);
    });
  }

  /** Sends the calls as a batch. Calls that the endpoint does not answer in the batch are then sent singly. */
  async #answersTo(calls: readonly UpstreamCall[]): Promise<CallAnswer[]> {
    if (calls.length < 2 || !this.#batches.isExpected) return sendSingly(calls, (call) => this.#single(call));
    const { answers, isRejected } = await this.#batch(calls);
    const needed = calls.filter(({ isOptional }) => isOptional !== true);
    if (isRejected && needed.length < calls.length) {
      // The server may reject the batch for the method of a hint.
      const others = await this.#answersTo(needed);
      return calls.map((call) => (call.isOptional === true ? NO_ANSWER : (others.shift() ?? NO_ANSWER)));
    }
    const missing = calls.filter((_, index) => answers[index] === undefined);
    if (missing.length === 0) this.#batches.answered(calls.length);
    const singles =
      missing.length === 0 ? [] : await this.#afterBatch(missing, missing.length < calls.length);
    if (singles.some(({ kind }) => kind !== 'failed')) {
      if (isRejected) this.#batches.rejected();
      else this.#batches.failed(calls.length);
    }
    return answers.map((answer) => answer ?? singles.shift() ?? NO_ANSWER);
  }

  /**
   * Sends the calls of a failed batch singly. The first one is a trial, because the endpoint may have failed
   * for another reason. Rejects if the trial fails, unless other calls of the batch `haveAnswers`.
   */
  async #afterBatch(calls: readonly UpstreamCall[], haveAnswers: boolean): Promise<CallAnswer[]> {
    const answers: CallAnswer[] = [];
    try {
      for (const part of [calls.slice(0, 1), calls.slice(1)])
        answers.push(...(await sendSingly(part, (call) => this.#single(call))));
    } catch (error) {
      const isPartial = haveAnswers || answers.length > 0;
      if (!isPartial || !(error instanceof EndpointFailure)) throw error;
      answers.push(...calls.slice(answers.length).map(() => failedCall(error)));
    }
    return answers;
  }

  async #single(call: UpstreamCall): Promise<CallAnswer> {
    const { status, text, retryAfter } = await this.#post(requestOf(call, ONLY_ID), [call]);
    const answer = parse(text);
    const isAnswer = answer !== undefined && typeof answer === 'object' && answer !== null;
    const isRejection = status === BAD_REQUEST && rpcErrorOf(answer) !== undefined;
    if (status !== OK && !isRejection) throw this.#failure(status, text, retryAfter);
    if (!isAnswer) throw this.#unreadable(text);
    return readAnswer(answer, ONLY_ID);
  }

  /** Returns the responses that arrived, and whether the endpoint rejected the batch as a whole. */
  async #batch(calls: readonly UpstreamCall[]): Promise<BatchOutcome> {
    let response: HttpAnswer;
    try {
      response = await this.#post(calls.map(requestOf), calls);
    } catch (error) {
      if (!(error instanceof EndpointFailure && error.isSilent)) throw error;
      return { answers: calls.map(() => undefined), isRejected: false };
    }
    const { status, text, retryAfter } = response;
    const answer = parse(text);
    if (Array.isArray(answer)) return { answers: readAnswers(answer, calls.length), isRejected: false };
    const refusal = rpcErrorOf(answer);
    if (refusal !== undefined && isRateLimit(refusal))
      throw this.#failure(TOO_MANY_REQUESTS, text, retryAfter);
    if (mayPassAfter(status)) throw this.#failure(status, text, retryAfter);
    const isRejected = status !== OK || refusal !== undefined;
    // Some servers answer only the first call of a batch.
    return { answers: readAnswers(isRejected ? [] : [answer], calls.length), isRejected };
  }

  #slowDown(): void {
    if (!this.#options.noRateLimit)
      this.#budget ??= new ComputeBudget(USUAL_COMPUTE_UNITS, this.#dependencies.clock);
  }

  #failure(status: number, text: string, retryAfter: string | null): EndpointFailure {
    if (status === TOO_MANY_REQUESTS) this.#slowDown();
    const quote = this.#isQuoted
      ? this.#masked(rpcErrorOf(parse(text))?.message ?? text.trim()).slice(0, MAX_QUOTE_LENGTH)
      : '';
    const reason = quote === '' ? `HTTP ${status}` : `HTTP ${status}: ${quote}`;
    return new EndpointFailure(reason, {
      mayPass: mayPassAfter(status),
      isRateLimited: status === TOO_MANY_REQUESTS,
      retryAfter: retryAfterDelay(retryAfter, this.#dependencies.clock.now()),
    });
  }

  #unreadable(text: string): EndpointFailure {
    if (!this.#isQuoted) return new EndpointFailure('its response is not JSON-RPC');
    const quote = this.#masked(text.trim()).slice(0, MAX_QUOTE_LENGTH);
    return new EndpointFailure(`its response is not JSON-RPC: ${quote === '' ? '(empty)' : quote}`);
  }

  #masked(text: string): string {
    return maskSecrets(text, this.url, Object.values(this.#options.headers));
  }

  async #post(body: unknown, calls: readonly UpstreamCall[]): Promise<HttpAnswer> {
    const { post, timers } = this.#dependencies;
    const closing = this.#closing;
    const { headers, timeout } = this.#options;
    if (this.#budget !== null) await this.#pause(this.#budget, calls);
    const ending = new AbortController();
    const { signal } = ending;
    const end = (): void => ending.abort();
    const timer = timers.after(timeout, end);
    closing.addEventListener('abort', end);
    try {
      closing.throwIfAborted();
      return await post({ url: this.url, headers, body: JSON.stringify(body), signal, closing });
    } catch (error) {
      if (closing.aborted)
        throw new EndpointFailure('the chain left the fork or is closing', { mayPass: false });
      if (signal.aborted) throw new EndpointFailure(`no response within ${timeout} ms`, { isSilent: true });
      const mayPass = mayPassError(error);
      const words = this.#isQuoted ? this.#masked(causeOf(error)) : connectionWords(error);
      const isOff = isUnreachable(error);
      throw new EndpointFailure(words, { mayPass, isUnreachable: isOff, isSilent: !isOff });
    } finally {
      timer.cancel();
      closing.removeEventListener('abort', end);
    }
  }

  #pause(budget: ComputeBudget, calls: readonly UpstreamCall[]): Promise<void> {
    const units = calls.reduce((sum, { method }) => sum + computeUnits(method), 0);
    const wait = budget.spend(units);
    return wait === 0 ? Promise.resolve() : pause(wait, this.#dependencies.timers, this.#closing);
  }
}

function requestOf({ method, params }: UpstreamCall, id: number): unknown {
  return { jsonrpc: '2.0', id, method, params };
}
