// The upstream responses of a fork: in memory, in the cache, and fetched on demand.

import { toHex, toQuantity } from '../primitives/hex.ts';
import { asObject } from '../wire/tolerant.ts';
import { type AnswerCache, answersInMemory } from './cache/fork-cache.ts';
import { FORK_URL_OPTION, OfflineError, UpstreamError } from './errors.ts';
import { RecentAnswers } from './recent-answers.ts';
import {
  type BlockPin,
  blockQuestion,
  callAt,
  isAnswerTo,
  PINNED_BLOCK,
  type Question,
  questionOf,
  type UpstreamCall,
} from './upstream/upstream-call.ts';

/** Maximum characters of a cached key. Clients choose the data of calls and filters. */
const MAX_KEY_LENGTH = 8192;

/** Decodes a response; `undefined` for an invalid one. */
type Reading = (answer: unknown) => Uint8Array | undefined;

/** The parts of a client that the store uses. */
interface AnswerSource {
  /** Sends the call. Calls from one iteration of the event loop share a request. */
  ask(call: UpstreamCall): Promise<unknown>;
}

/** The pinned block as returned by `eth_getBlockByNumber`, and the questions that return it. */
interface PinnedBlock {
  /** The number of the fork block, for the errors of an offline fork. */
  readonly number: number;
  readonly block: unknown;
  readonly keys: ReadonlySet<string>;
}

/** The last parameter of state requests in keys. */
const PINNED_END = '"@"]]';

/** Returns the key of a request with the number of a block (hex text) in place of the pinned block. */
function keyAt(key: string, number: string): string {
  return key.endsWith(PINNED_END) ? `${key.slice(0, -PINNED_END.length)}"${number}"]]` : key;
}

/** The start of the key of a question about code. */
const CODE_QUESTION = '["eth_getCode",';
/** The code of an account without its own code, and the start of a delegation (EIP-7702), as hex text. */
const NO_CODE = '0x';
const DELEGATION = '0xef0100';

/** True for an answer about an account's code that no later block can change (EIP-6780). */
function isLastingCode(key: string, answer: unknown): boolean {
  if (!key.startsWith(CODE_QUESTION) || typeof answer !== 'string' || answer === NO_CODE) return false;
  return !answer.toLowerCase().startsWith(DELEGATION);
}

/** The relation of a later block to the present one. */
export interface LaterBlock {
  /** True if code cannot change after the block that created it. */
  readonly keepsCode: boolean;
  /** True if the forked chain has replaced blocks. */
  readonly isReorganized: boolean;
}

/**
 * The responses about the chain up to the pinned block. They never become invalid, so no request is sent
 * twice. The key of a question is made once and used for the cache, the memory and pending requests.
 */
export class AnswerStore {
  readonly #source: AnswerSource;
  readonly #cache: AnswerCache;
  readonly #pinned: PinnedBlock;
  readonly #isOffline: boolean;
  /** Responses kept out of the cache, for example from a dump. */
  readonly #given = new Map<string, unknown>();
  /** Responses that neither the cache nor a dump may contain, because they or their keys are too long. */
  readonly #recent = new RecentAnswers();
  readonly #pending = new Map<string, Promise<unknown>>();
  /** The store of the client's pinned block, for a store of a later block; otherwise this store. */
  #base: AnswerStore = this;
  /** True if the forked chain may have replaced the block of the base store since. */
  #isBaseReplaced = false;
  /** Code in the state of a later block that no block above can change, by key. */
  #codes = new Map<string, unknown>();
  /** False once a different upstream from the cache's may have responded. */
  #isCached = true;
  #version = 0;

  /** With `isOffline` no request is sent; the cache is the only source. */
  constructor(source: AnswerSource, cache: AnswerCache, pinned: PinnedBlock, isOffline: boolean) {
    this.#source = source;
    this.#cache = cache;
    this.#pinned = pinned;
    this.#isOffline = isOffline;
  }

  /**
   * Returns a store for the same chain with an earlier pinned block. Both share all responses: the keys here
   * contain the number of the earlier block.
   */
  at(number: number, block: unknown): AnswerStore {
    const name = toQuantity(number);
    const source = { ask: (call: UpstreamCall) => this.#source.ask(callAt(call, number)) };
    const cache: AnswerCache = {
      get: (key) => this.#stored(keyAt(key, name)),
      set: (key, answer) => {
        this.keep({ key: keyAt(key, name) }, answer);
        return true;
      },
      entries: () => [],
      readOn: () => this.#cache.readOn(),
    };
    const keys = new Set([blockQuestion(name, false).key]);
    return new AnswerStore(source, cache, { number: this.#pinned.number, block, keys }, this.#isOffline);
  }

  /**
   * Returns a store for the same chain with another pinned block, usually a later one. Unless `isReorganized`, it
   * has the responses about the base store's chain, but not about its state. Its own responses stay in memory,
   * because the block can still be replaced. With `keepsCode`, code is not requested again.
   */
  after(pin: BlockPin, block: unknown, { keepsCode, isReorganized }: LaterBlock): AnswerStore {
    const base = this.#base;
    const own = answersInMemory();
    // A copy, because earlier blocks do not have the code of later ones.
    const codes = new Map(isReorganized ? [] : this.#codes);
    const isBaseReplaced = isReorganized || this.#isBaseReplaced;
    const stored = (key: string): unknown => (isBaseReplaced ? undefined : base.#stored(key));
    const code = (key: string): unknown => {
      const known = codes.get(key) ?? stored(key);
      return isLastingCode(key, known) ? known : undefined;
    };
    const cache: AnswerCache = {
      get: (key) => {
        const known = own.get(key);
        if (known !== undefined) return known;
        if (!key.endsWith(PINNED_END)) return stored(key);
        return keepsCode && key.startsWith(CODE_QUESTION) ? code(key) : undefined;
      },
      set: (key, answer) => {
        if (key.endsWith(PINNED_END) && isLastingCode(key, answer)) codes.set(key, answer);
        return own.set(key, answer);
      },
      entries: () => {
        const ofBase = isBaseReplaced ? [] : [...base.all()].filter(([key]) => !key.endsWith(PINNED_END));
        return [...ofBase, ...own.entries()];
      },
      readOn: () => undefined,
    };
    const { number, hash } = pin;
    const keys = new Set([toQuantity(number), toHex(hash)].map((name) => blockQuestion(name, false).key));
    const source = { ask: (call: UpstreamCall) => base.#source.ask({ ...call, at: pin }) };
    const later = new AnswerStore(source, cache, { number, block, keys }, false);
    later.#base = base;
    later.#codes = codes;
    later.#isBaseReplaced = isBaseReplaced;
    return later;
  }

  /** Changes whenever responses are added. */
  get version(): number {
    return this.#version;
  }

  /** Keeps later responses out of the cache, because they come from other URLs. */
  stopCaching(): void {
    this.#isCached = false;
    this.#base.#isCached = false;
  }

  /** Adds the valid responses of a fork of the same block, by key. */
  give(answers: ReadonlyMap<string, unknown>): void {
    for (const [key, answer] of answers) this.#given.set(key, answer);
    this.#version++;
  }

  /** Returns all responses in memory that a dump may contain, sorted by key. */
  all(): ReadonlyMap<string, unknown> {
    const answers = new Map([...this.#cache.entries(), ...this.#given]);
    return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Returns a response that is in memory or can be derived; `undefined` if a request is necessary. */
  get(question: Question): unknown {
    const held = this.#held(question);
    return held === undefined ? this.#derived(question) : held;
  }

  /** Returns a response as bytes; `undefined` if a request is necessary. Throws an `UpstreamError` if it is invalid. */
  getBytes(question: Question, reading: Reading): Uint8Array | undefined {
    const answer = this.get(question);
    if (answer === undefined) return undefined;
    const bytes = reading(answer);
    if (bytes === undefined) {
      const given = JSON.stringify(answer).slice(0, 80);
      throw new UpstreamError(`invalid response from the fork URL to ${question.method}: ${given}`);
    }
    return bytes;
  }

  #held(question: Question): unknown {
    const { key } = question;
    const pinned = this.#pinned.keys.has(key) ? this.#pinned.block : undefined;
    // Dumps and files of earlier versions can contain invalid responses.
    for (const held of [this.#given.get(key), this.#cache.get(key), this.#recent.get(key), pinned])
      if (held !== undefined && isAnswerTo(question, held)) return held;
    return undefined;
  }

  #stored(key: string): unknown {
    const known = [this.#given.get(key), this.#cache.get(key), this.#recent.get(key)];
    return known.find((answer) => answer !== undefined);
  }

  /**
   * Derives a response from others in memory: a block with transaction hashes from the full block, and the
   * counts of transactions and uncles. Otherwise `undefined`.
   */
  #derived({ params, expects, counts }: Question): unknown {
    const [block, isFull] = params;
    if (isFull === false && (expects === 'blockOfNumber' || expects === 'blockOfHash')) {
      const whole = asObject(this.#held(blockQuestion(block, true)));
      const transactions = whole?.transactions;
      if (!Array.isArray(transactions)) return undefined;
      return { ...whole, transactions: transactions.map((transaction) => asObject(transaction)?.hash) };
    }
    if (counts === undefined) return undefined;
    const counted = [true, false].map(
      (isWhole) => asObject(this.#held(blockQuestion(block, isWhole)))?.[counts],
    );
    const list = counted.find((one) => Array.isArray(one));
    return list === undefined ? undefined : toQuantity(list.length);
  }

  /** Returns the response, from memory if possible. Rejects as {@link fetchAll}. */
  async ask(call: UpstreamCall | Question): Promise<unknown> {
    const question = 'key' in call ? call : questionOf(call);
    const known = this.get(question);
    return known === undefined ? this.fetch(question) : known;
  }

  /** True while the response is being fetched. */
  isPending({ key }: Question): boolean {
    return this.#pending.has(key);
  }

  /** Like {@link fetchAll}, for one question. */
  async fetch(question: Question): Promise<unknown> {
    const [answer] = await this.fetchAll([question]);
    return answer;
  }

  /**
   * Fetches responses that are not in memory, in one batch. A pending request is not sent again. Rejects with
   * an `UpstreamError`, an `UpstreamRejectionError` or an {@link OfflineError}.
   */
  async fetchAll(questions: readonly Question[]): Promise<unknown[]> {
    const arePending = questions.every(({ key }) => this.#pending.has(key));
    // Other processes may have added responses to the cache.
    const reading = arePending ? undefined : this.#cache.readOn();
    return Promise.all(
      questions.map((question) => this.#pending.get(question.key) ?? this.#begin(question, reading)),
    );
  }

  #begin(question: Question, reading: Promise<void> | void): Promise<unknown> {
    const answer = this.#request(question, reading).finally(() => this.#pending.delete(question.key));
    this.#pending.set(question.key, answer);
    return answer;
  }

  async #request(question: Question, reading: Promise<void> | void): Promise<unknown> {
    if (reading !== undefined) await reading;
    const added = this.get(question);
    if (added !== undefined) return added;
    const { method, params } = question;
    if (this.#isOffline)
      throw OfflineError.ofCall(
        method,
        params.filter((param) => param !== PINNED_BLOCK),
        `${FORK_URL_OPTION} --fork-block-number ${this.#pinned.number}`,
      );
    const answer = await this.#source.ask(question);
    // A missing item may appear later, except in the state after the pinned block.
    const maySeeItLater = answer === null && !params.includes(PINNED_BLOCK);
    if (answer !== undefined && !maySeeItLater) this.keep(question, answer);
    return answer;
  }

  /** Stores a response in memory and in the cache. */
  keep({ key }: Pick<Question, 'key'>, answer: unknown): void {
    this.#given.delete(key);
    this.#version++;
    if (key.length > MAX_KEY_LENGTH) this.#recent.set(key, answer);
    else if (!this.#isCached) this.#given.set(key, answer);
    else if (!this.#cache.set(key, answer)) this.#recent.set(key, answer);
  }
}
