import type { Timers, WallClock } from '../../primitives/clock.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantFixedData } from '../../wire/tolerant.ts';
import { isAnswerTo } from './answer-shape.ts';
import type { HttpAnswer, HttpPost } from './http-post.ts';
import { maskHost, maskSecrets, maskUrl } from './mask-url.ts';
import { isRateLimit, readAnswer, readAnswers, refusalOf } from './read-answers.ts';
import { ComputeBudget, computeUnits, pause, retryAfterDelay } from './request-rate.ts';
import { type CallAnswer, PINNED_BLOCK, type UpstreamCall } from './upstream-call.ts';

/** A block that is named twice over, so that another one cannot take its place. */
export interface BlockPin {
  readonly number: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/** How an endpoint is asked. */
export interface EndpointOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
  /** Compute units a second; `null` for the usual number, kept to from the first refusal for asking too much on. */
  readonly computeUnitsPerSecond: number | null;
  /** Never wait before the upstream asks for it. */
  readonly noRateLimit: boolean;
}

/** What an endpoint takes from its surroundings. */
export interface EndpointParts {
  readonly post: HttpPost;
  readonly clock: WallClock;
  readonly timers: Timers;
  /** Ends everything that is under way. */
  readonly closing: AbortSignal;
}

/** No answer came, or none that can be used. */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure';
  /** False when asking this endpoint again would change nothing. */
  readonly mayPass: boolean;
  /** Milliseconds after which the upstream wants to be asked again; `null` when it does not say. */
  readonly retryAfter: number | null;

  constructor(reason: string, mayPass = true, retryAfter: number | null = null) {
    super(reason);
    this.mayPass = mayPass;
    this.retryAfter = retryAfter;
  }
}

const USUAL_COMPUTE_UNITS = 330;
/** The id of a call that goes alone. */
const ONLY_ID = 0;
const OK = 200;
/** Nodes of the network give it with every JSON-RPC error. */
const BAD_REQUEST = 400;
const TOO_LARGE = 413;
const TOO_MANY_REQUESTS = 429;
const LONGEST_QUOTE = 200;
/** Bytes of a text of the upstream that goes on to callers. */
const LONGEST_TEXT = 1_024;
/** Stands where something was cut. */
const CUT = '…';
/** Levels of arrays and objects in the data of a refusal, and members of each, that go on to callers. */
const DEEPEST_DATA = 4;
const WIDEST_DATA = 16;
const HEX_DATA = /^0x[0-9a-f]*$/i;

/** Statuses below 500 that may be gone the next time. */
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

/** One URL of the upstream, and what is known of how it wants to be asked. */
export class UpstreamEndpoint {
  /** The URL with its secrets. */
  readonly url: string;
  /** The URL, its secrets starred out. */
  readonly name: string;
  /** Host and port of the URL, without anything secret. */
  readonly host: string;
  readonly #options: EndpointOptions;
  readonly #parts: EndpointParts;
  #budget: ComputeBudget | null;
  #takesBatches = true;
  #pin: BlockPin | undefined;
  #onMismatch: () => void = () => {};
  /** Checks that the endpoint has the block of the pin; `undefined` before the first check and after one that failed. */
  #check: Promise<void> | undefined;
  #takesHashes = false;

  constructor(url: string, options: EndpointOptions, parts: EndpointParts) {
    this.url = url;
    this.name = maskUrl(url);
    this.host = maskHost(new URL(url));
    this.#options = options;
    this.#parts = parts;
    const { computeUnitsPerSecond, noRateLimit } = options;
    this.#budget =
      noRateLimit || computeUnitsPerSecond === null
        ? null
        : new ComputeBudget(computeUnitsPerSecond, parts.clock);
  }

  /**
   * From now on the endpoint is asked only about a chain with that block, which it must have: `onMismatch` is told when
   * it has another one in its place.
   */
  pinTo(pin: BlockPin, onMismatch: () => void): void {
    this.#pin = pin;
    this.#onMismatch = onMismatch;
    this.#check = undefined;
  }

  /** The answers to the calls, in their order. Rejects with {@link EndpointFailure} when there are none at all. */
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

  /** What cannot be an answer to its call is none: whoever is asked next may know better. */
  #checked(calls: readonly UpstreamCall[], answers: readonly CallAnswer[]): CallAnswer[] {
    return answers.map((answer, index) => {
      const call = calls[index];
      if (call === undefined || answer.kind !== 'result' || isAnswerTo(call, answer.result)) return answer;
      return { kind: 'failed', reason: this.#nonsense(answer.result) };
    });
  }

  #namingBlock({ method, params }: UpstreamCall, pin: BlockPin): UpstreamCall {
    const block = this.#takesHashes ? { blockHash: toHex(pin.hash) } : toQuantity(pin.number);
    return { method, params: params.map((param) => (param === PINNED_BLOCK ? block : param)) };
  }

  /** Whether the endpoint takes blocks by hash (EIP-1898) comes out on the way. */
  async #checkPin({ number, hash }: BlockPin): Promise<void> {
    const own = toHex(hash);
    const [block, balance] = await this.#exchange([
      { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] },
      { method: 'eth_getBalance', params: [`0x${'0'.repeat(40)}`, { blockHash: own }] },
    ]);
    if (block?.kind === 'failed') throw new EndpointFailure(block.reason);
    if (block?.kind === 'refused') throw new EndpointFailure(block.refusal.message.slice(0, LONGEST_QUOTE));
    const found = this.#hashIn(block?.result);
    if (found !== own) {
      this.#onMismatch();
      throw new EndpointFailure(
        `it has ${found} as block ${number}, and not ${own}, which this fork is of`,
        false,
      );
    }
    this.#takesHashes = balance?.kind === 'result' && typeof balance.result === 'string';
  }

  #hashIn(block: unknown): string {
    if (block === null) return 'nothing';
    const hash = tolerantFixedData(asObject(block)?.hash, 32);
    if (hash === undefined) throw new EndpointFailure(this.#nonsense(block));
    return toHex(hash);
  }

  #nonsense(answer: unknown): string {
    const quote = this.#masked(JSON.stringify(answer) ?? 'nothing').slice(0, LONGEST_QUOTE);
    return `it answers ${quote}, which makes no sense`;
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
    const isRefusal = status === BAD_REQUEST && refusalOf(answer) !== undefined;
    if (status !== OK && !isRefusal) throw this.#failure(status, text, retryAfter);
    if (!isAnswer) throw this.#unreadable(text);
    return this.#noticing([readAnswer(answer, ONLY_ID)])[0] ?? { kind: 'failed', reason: 'no answer' };
  }

  /** `null` when the endpoint does not take several calls at once. */
  async #batch(calls: readonly UpstreamCall[]): Promise<CallAnswer[] | null> {
    const { status, text, retryAfter } = await this.#post(calls.map(requestOf), calls);
    const answer = parse(text);
    if (Array.isArray(answer)) return this.#noticing(readAnswers(answer, calls.length));
    const refusal = refusalOf(answer);
    if (refusal !== undefined && isRateLimit(refusal))
      throw this.#failure(TOO_MANY_REQUESTS, text, retryAfter);
    if (status === BAD_REQUEST || status === TOO_LARGE || (status === OK && refusal !== undefined))
      return null;
    if (status !== OK) throw this.#failure(status, text, retryAfter);
    throw this.#unreadable(text);
  }

  /** Once the endpoint said that it was too much, it is asked no faster than its budget lets. */
  #noticing(answers: CallAnswer[]): CallAnswer[] {
    if (answers.some(({ kind }) => kind === 'failed')) this.#slowDown();
    return answers.map((answer) => {
      if (answer.kind === 'result') return answer;
      if (answer.kind === 'failed') return { ...answer, reason: this.#told(answer.reason) };
      const { refusal } = answer;
      const message = this.#told(refusal.message);
      const data = refusal.data === undefined ? {} : { data: this.#toldValue(refusal.data) };
      return { ...answer, refusal: { ...refusal, message, ...data } };
    });
  }

  #slowDown(): void {
    if (!this.#options.noRateLimit)
      this.#budget ??= new ComputeBudget(USUAL_COMPUTE_UNITS, this.#parts.clock);
  }

  #failure(status: number, text: string, retryAfter: string | null): EndpointFailure {
    if (status === TOO_MANY_REQUESTS) this.#slowDown();
    const mayPass = status >= 500 || PASSING_STATUSES.has(status);
    const quote = this.#masked(refusalOf(parse(text))?.message ?? text.trim()).slice(0, LONGEST_QUOTE);
    const reason = quote === '' ? `HTTP ${status}` : `HTTP ${status}: ${quote}`;
    return new EndpointFailure(reason, mayPass, retryAfterDelay(retryAfter, this.#parts.clock.now()));
  }

  #unreadable(text: string): EndpointFailure {
    const quote = this.#masked(text.trim()).slice(0, LONGEST_QUOTE);
    return new EndpointFailure(`its answer is not JSON-RPC: ${quote === '' ? 'nothing' : quote}`);
  }

  #masked(text: string): string {
    return maskSecrets(text, this.url, Object.values(this.#options.headers));
  }

  /** A text of the upstream as callers may see it: without secrets, and not long. */
  #told(text: string): string {
    return shortened(this.#masked(text));
  }

  /**
   * The data of a refusal as callers may see them. Of what code returned, which is hexadecimal, all is needed; the rest is
   * for people, and cut where it is long, wide or deep.
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
    const { post, timers, closing } = this.#parts;
    const { headers, timeout } = this.#options;
    await this.#pause(calls);
    const ending = new AbortController();
    const timer = timers.after(timeout, () => ending.abort());
    const signal = AbortSignal.any([ending.signal, closing]);
    try {
      return await post({ url: this.url, headers, body: JSON.stringify(body), signal, closing });
    } catch (error) {
      if (closing.aborted) throw new EndpointFailure('the chain has left the fork, or closes', false);
      if (ending.signal.aborted) throw new EndpointFailure(`no answer within ${timeout} ms`);
      throw new EndpointFailure(this.#masked(causeOf(error)));
    } finally {
      timer.cancel();
    }
  }

  #pause(calls: readonly UpstreamCall[]): Promise<void> {
    const units = calls.reduce((sum, { method }) => sum + computeUnits(method), 0);
    const wait = this.#budget?.spend(units) ?? 0;
    return wait === 0 ? Promise.resolve() : pause(wait, this.#parts.timers, this.#parts.closing);
  }
}

/** The text, cut where it has more bytes in UTF-8 than a text of the upstream may. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_TEXT) return text;
  // A character of which a part alone is left becomes U+FFFD, which goes.
  const kept = bytes.toString('utf8', 0, LONGEST_TEXT - Buffer.byteLength(CUT));
  return `${kept.replace(/\uFFFD+$/, '')}${CUT}`;
}

function requestOf({ method, params }: UpstreamCall, id: number): unknown {
  return { jsonrpc: '2.0', id, method, params };
}
