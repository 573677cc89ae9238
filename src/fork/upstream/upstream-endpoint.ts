import type { Timers, WallClock } from '../../primitives/clock.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantFixedData } from '../../wire/tolerant.ts';
import { BlockedUrlError } from './blocked-port.ts';
import {
  AnswerTooLongError,
  type HttpAnswer,
  type HttpPost,
  isRateLimit,
  isUnreachable,
  readAnswer,
  readAnswers,
  rpcErrorOf,
} from './http-post.ts';
import { maskHost, maskSecrets, maskUrl } from './mask-url.ts';
import { ComputeBudget, computeUnits, pause, retryAfterDelay } from './request-rate.ts';
import {
  blockQuestion,
  type CallAnswer,
  isAnswerTo,
  PINNED_BLOCK,
  type UpstreamCall,
} from './upstream-call.ts';

/** A block by number and hash, so that no other block can replace it. */
export interface BlockPin {
  readonly number: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

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

/** Thrown without a usable response. */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure';
  /** False if a retry at this endpoint cannot help. */
  readonly mayPass: boolean;
  /** The upstream's requested delay in milliseconds, or `null`. */
  readonly retryAfter: number | null;

  /** True if no server was reached. */
  readonly isUnreachable: boolean;

  constructor(reason: string, mayPass = true, retryAfter: number | null = null, isUnreachable = false) {
    super(reason);
    this.mayPass = mayPass;
    this.retryAfter = retryAfter;
    this.isUnreachable = isUnreachable;
  }
}

const USUAL_COMPUTE_UNITS = 330;
/** The id of a call outside a batch. */
const ONLY_ID = 0;
const OK = 200;
/** Rootstock's nodes send it with every JSON-RPC error. */
const BAD_REQUEST = 400;
const TOO_LARGE = 413;
const TOO_MANY_REQUESTS = 429;
const MAX_QUOTE_LENGTH = 200;
/** Maximum bytes of upstream text that is passed to clients. */
const MAX_TEXT_LENGTH = 1_024;
/** Marks truncated text. */
const CUT = '…';
/** Maximum depth, and members per level, of error data that is passed to clients. */
const DEEPEST_DATA = 4;
const WIDEST_DATA = 16;
const HEX_DATA = /^0x[0-9a-f]*$/i;

/** Statuses below 500 that may be temporary. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, TOO_MANY_REQUESTS]);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

/** Returns the reason of a failed request without server text, such as certificate names. */
function connectionWords(error: unknown): string {
  if (error instanceof BlockedUrlError || error instanceof AnswerTooLongError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z\d_]*$/.test(code) ? `the connection failed (${code})` : 'the connection failed';
}

/** True for the codes of JSON-RPC errors (JSON-RPC 2.0, section 5.1), and the code of a revert. */
function isRpcErrorCode(code: number): boolean {
  return Number.isInteger(code) && ((code >= -32_768 && code <= -32_000) || code === 3);
}

/** Returns a failure or rejection without any response text. */
function withoutText(answer: Exclude<CallAnswer, { readonly kind: 'result' }>): CallAnswer {
  if (answer.kind === 'failed') return { kind: 'failed', reason: 'it did not answer the request' };
  const { code } = answer.refusal;
  const message = 'the fork URL rejected the request';
  return { kind: 'refused', refusal: { code: isRpcErrorCode(code) ? code : -32_000, message } };
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
  #takesBatches = true;
  #isLimited = false;
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

  /** True after a rate-limit error, until the next response. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /**
   * Requires a check for this block before further requests. Calls `onMismatch` if the endpoint has another
   * block with this number.
   */
  pinTo(pin: BlockPin, onMismatch: () => void): void {
    this.#pin = pin;
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
    const block = this.#takesHashes ? { blockHash: toHex(pin.hash) } : toQuantity(pin.number);
    return { ...call, params: params.map((param) => (param === PINNED_BLOCK ? block : param)) };
  }

  /** Checks that the endpoint has the block, and whether it supports blocks by hash (EIP-1898). */
  async #checkPin({ number, hash }: BlockPin): Promise<void> {
    const own = toHex(hash);
    const [block, balance] = await this.#exchange([
      blockQuestion(toQuantity(number), false),
      { method: 'eth_getBalance', params: [`0x${'0'.repeat(40)}`, { blockHash: own }], expects: 'quantity' },
    ]);
    if (block?.kind === 'failed') throw new EndpointFailure(block.reason);
    if (block?.kind === 'refused')
      throw new EndpointFailure(block.refusal.message.slice(0, MAX_QUOTE_LENGTH));
    const found = this.#hashIn(block?.result);
    if (found !== own) {
      this.#onMismatch();
      const fault = found === null ? `it has no block ${number}` : `its block ${number} is ${found}`;
      throw new EndpointFailure(`${fault}, but the fork block is ${own}`, false);
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
    const [only] = calls;
    if (only === undefined) return [];
    if (calls.length === 1) return [await this.#single(only)];
    if (this.#takesBatches) {
      const answers = await this.#batch(calls);
      if (answers !== null) return answers;
      this.#takesBatches = false;
    }
    const answers: CallAnswer[] = [];
    for (const call of calls) answers.push(await this.#single(call));
    return answers;
  }

  async #single(call: UpstreamCall): Promise<CallAnswer> {
    const { status, text, retryAfter } = await this.#post(requestOf(call, ONLY_ID), [call]);
    const answer = parse(text);
    const isAnswer = answer !== undefined && typeof answer === 'object' && answer !== null;
    const isRejection = status === BAD_REQUEST && rpcErrorOf(answer) !== undefined;
    if (status !== OK && !isRejection) throw this.#failure(status, text, retryAfter);
    if (!isAnswer) throw this.#unreadable(text);
    return this.#noticing([readAnswer(answer, ONLY_ID)])[0] ?? { kind: 'failed', reason: 'no answer' };
  }

  /** Returns `null` if the endpoint does not support batches. */
  async #batch(calls: readonly UpstreamCall[]): Promise<CallAnswer[] | null> {
    const { status, text, retryAfter } = await this.#post(calls.map(requestOf), calls);
    const answer = parse(text);
    if (Array.isArray(answer)) return this.#noticing(readAnswers(answer, calls.length));
    const refusal = rpcErrorOf(answer);
    if (refusal !== undefined && isRateLimit(refusal))
      throw this.#failure(TOO_MANY_REQUESTS, text, retryAfter);
    if (status === BAD_REQUEST || status === TOO_LARGE || (status === OK && refusal !== undefined))
      return null;
    if (status !== OK) throw this.#failure(status, text, retryAfter);
    throw this.#unreadable(text);
  }

  /** Masks secrets in error texts. After a failed call, requests are limited to the compute budget. */
  #noticing(answers: CallAnswer[]): CallAnswer[] {
    this.#isLimited = answers.some(({ kind }) => kind === 'failed');
    if (this.#isLimited) this.#slowDown();
    return answers.map((answer) => {
      if (answer.kind === 'result') return answer;
      if (!this.#isQuoted) return withoutText(answer);
      if (answer.kind === 'failed') return { ...answer, reason: this.#told(answer.reason) };
      const { refusal } = answer;
      const message = this.#told(refusal.message);
      const data = refusal.data === undefined ? {} : { data: this.#toldValue(refusal.data) };
      return { ...answer, refusal: { ...refusal, message, ...data } };
    });
  }

  #slowDown(): void {
    if (!this.#options.noRateLimit)
      this.#budget ??= new ComputeBudget(USUAL_COMPUTE_UNITS, this.#dependencies.clock);
  }

  #failure(status: number, text: string, retryAfter: string | null): EndpointFailure {
    this.#isLimited = status === TOO_MANY_REQUESTS;
    if (this.#isLimited) this.#slowDown();
    const mayPass = status >= 500 || PASSING_STATUSES.has(status);
    const quote = this.#isQuoted
      ? this.#masked(rpcErrorOf(parse(text))?.message ?? text.trim()).slice(0, MAX_QUOTE_LENGTH)
      : '';
    const reason = quote === '' ? `HTTP ${status}` : `HTTP ${status}: ${quote}`;
    return new EndpointFailure(reason, mayPass, retryAfterDelay(retryAfter, this.#dependencies.clock.now()));
  }

  #unreadable(text: string): EndpointFailure {
    if (!this.#isQuoted) return new EndpointFailure('its response is not JSON-RPC');
    const quote = this.#masked(text.trim()).slice(0, MAX_QUOTE_LENGTH);
    return new EndpointFailure(`its response is not JSON-RPC: ${quote === '' ? '(empty)' : quote}`);
  }

  #masked(text: string): string {
    return maskSecrets(text, this.url, Object.values(this.#options.headers));
  }

  /** Returns masked and truncated upstream text for clients. */
  #told(text: string): string {
    return shortened(this.#masked(text));
  }

  /**
   * Returns error data for clients. Hexadecimal revert data are kept completely; other data are truncated if
   * they are long, wide or deep.
   */
  #toldValue(value: unknown, levels = DEEPEST_DATA): unknown {
    if (typeof value === 'string') return HEX_DATA.test(value) ? value : this.#told(value);
    if (typeof value !== 'object' || value === null) return value;
    if (levels === 0) return CUT;
    if (Array.isArray(value))
      return value.slice(0, WIDEST_DATA).map((item) => this.#toldValue(item, levels - 1));
    const fields = Object.entries(value).slice(0, WIDEST_DATA);
    return Object.fromEntries(
      fields.map(([name, field]) => [this.#told(name), this.#toldValue(field, levels - 1)]),
    );
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
      if (closing.aborted) throw new EndpointFailure('the chain left the fork or is closing', false);
      if (signal.aborted) throw new EndpointFailure(`no response within ${timeout} ms`);
      const mayPass = !(error instanceof BlockedUrlError || error instanceof AnswerTooLongError);
      const words = this.#isQuoted ? this.#masked(causeOf(error)) : connectionWords(error);
      throw new EndpointFailure(words, mayPass, null, isUnreachable(error));
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

/** Truncates text above the maximum bytes of UTF-8. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TEXT_LENGTH) return text;
  // A character that is cut in the middle becomes U+FFFD and is removed.
  const kept = bytes.toString('utf8', 0, MAX_TEXT_LENGTH - Buffer.byteLength(CUT));
  return `${kept.replace(/\uFFFD+$/, '')}${CUT}`;
}

function requestOf({ method, params }: UpstreamCall, id: number): unknown {
  return { jsonrpc: '2.0', id, method, params };
}
