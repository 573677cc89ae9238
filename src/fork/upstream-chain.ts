// The upstream's chain as a fork reads it, with all answers cached.

import { toHex, toQuantity } from '../primitives/hex.ts';
import type { AnswerCache } from './cache/fork-cache.ts';
import { asObject, blockNumberOf, type JsonObject } from './decoding.ts';
import { OfflineError } from './errors.ts';
import { isAnswerTo } from './upstream/answer-shape.ts';
import { callOfText, PINNED_BLOCK, textOfCall, type UpstreamCall } from './upstream/upstream-call.ts';
import type { UpstreamClient } from './upstream/upstream-client.ts';
import type { BlockPin } from './upstream/upstream-endpoint.ts';

type KnownAnswers = (call: UpstreamCall) => unknown;

/** The method that returns the block, and the member of the block that is counted. */
const COUNTS: ReadonlyMap<string, readonly [method: string, member: 'transactions' | 'uncles']> = new Map([
  ['eth_getBlockTransactionCountByHash', ['eth_getBlockByHash', 'transactions']],
  ['eth_getBlockTransactionCountByNumber', ['eth_getBlockByNumber', 'transactions']],
  ['eth_getUncleCountByBlockHash', ['eth_getBlockByHash', 'uncles']],
  ['eth_getUncleCountByBlockNumber', ['eth_getBlockByNumber', 'uncles']],
]);

function blockOf(
  known: KnownAnswers,
  method: string,
  block: unknown,
  isFull: boolean,
): JsonObject | undefined {
  return asObject(known({ method, params: [block, isFull] }));
}

/**
 * Returns the answer to the call if it follows from other answers in memory: a block with the hashes of its
 * transactions from one with the transactions, and the counts of its transactions and uncles. `undefined` otherwise.
 */
export function derivedAnswer({ method, params }: UpstreamCall, known: KnownAnswers): unknown {
  const [block, isFull] = params;
  if (isFull === false && (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash')) {
    const whole = blockOf(known, method, block, true);
    const transactions = whole?.transactions;
    if (!Array.isArray(transactions)) return undefined;
    return { ...whole, transactions: transactions.map((transaction) => asObject(transaction)?.hash) };
  }
  const count = COUNTS.get(method);
  if (count === undefined) return undefined;
  const [blockMethod, member] = count;
  const counted = [true, false].map((isWhole) => blockOf(known, blockMethod, block, isWhole)?.[member]);
  const list = counted.find((one) => Array.isArray(one));
  return list === undefined ? undefined : toQuantity(list.length);
}

/** Methods that find something by its hash, in which blocks that came after the pinned one must not be found. */
type ByHash = 'eth_getTransactionByHash' | 'eth_getTransactionReceipt' | 'eth_getBlockByHash';

/**
 * The chain that a fork began on, up to the pinned block. It never changes, so every answer is kept, and no call is
 * made twice.
 */
export class UpstreamChain {
  readonly pin: BlockPin;
  readonly #client: UpstreamClient;
  readonly #cache: AnswerCache;
  readonly #isOffline: boolean;
  /** Answers that came along with a dump or that the cache must not have, by the text of the call. */
  readonly #given = new Map<string, unknown>();
  /** False once another upstream than the cache's may have answered. */
  #isCached = true;
  #version = 0;

  /** With `isOffline` the upstream is never asked: what the cache does not hold is not to be had. */
  constructor(client: UpstreamClient, cache: AnswerCache, pin: BlockPin, isOffline: boolean) {
    this.pin = pin;
    this.#client = client;
    this.#cache = cache;
    this.#isOffline = isOffline;
  }

  /** A number that changes whenever answers have been added. */
  get version(): number {
    return this.#version;
  }

  /** The present URLs, including their secrets. */
  get secretUrls(): readonly string[] {
    return this.#client.urls;
  }

  /** The URLs with secrets masked, in the order they were given. */
  get urls(): readonly string[] {
    return this.#client.names;
  }

  /**
   * Uses other URLs from now on, which must be of the same chain. The cache belongs to the former ones: it is still
   * read, but not written any more.
   */
  useUrls(urls: readonly string[]): void {
    this.#isCached = false;
    this.#client.useUrls(urls);
  }

  /** Returns the answer if it is in memory or follows from others; `undefined` when a request is necessary. */
  known(call: UpstreamCall): unknown {
    const kept = this.#kept(call);
    return kept === undefined ? derivedAnswer(call, (other) => this.#kept(other)) : kept;
  }

  #kept(call: UpstreamCall): unknown {
    const text = textOfCall(call);
    const given = this.#given.get(text);
    if (given !== undefined) return given;
    // Files of earlier versions hold whatever upstreams answered.
    const kept = this.#cache.get(text);
    return isAnswerTo(call, kept) ? kept : undefined;
  }

  /** Adds answers that were given to a fork of the same block, by the text of the call, except for malformed ones. */
  give(answers: ReadonlyMap<string, unknown>): void {
    for (const [text, answer] of answers) {
      const call = callOfText(text);
      if (call !== undefined && isAnswerTo(call, answer)) this.#given.set(text, answer);
    }
    this.#version++;
  }

  /** Returns all answers in memory, by the text of the call, in the order of these texts. */
  answers(): ReadonlyMap<string, unknown> {
    const answers = new Map([...this.#cache.entries(), ...this.#given]);
    return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /**
   * Returns the upstream's answer to a call about the chain up to the pinned block. Rejects with an `UpstreamError`, an
   * `UpstreamRefusalError` or an {@link OfflineError}.
   */
  async ask(call: UpstreamCall): Promise<unknown> {
    const known = this.known(call);
    if (known !== undefined) return known;
    if (this.#isOffline)
      throw new OfflineError(
        call.method,
        call.params.filter((param) => typeof param !== 'symbol'),
      );
    const answer = await this.#client.ask(call);
    // A node that has not seen something yet may see it later; but the state after the pinned block is there.
    const maySeeItLater = answer === null && !call.params.includes(PINNED_BLOCK);
    if (answer === undefined || maySeeItLater) return answer;
    const answers = this.#isCached ? this.#cache : this.#given;
    answers.set(textOfCall(call), answer);
    this.#version++;
    return answer;
  }

  /** Returns the upstream's object with a hash; `null` when there is none, and for objects after the pinned block. */
  async find(method: ByHash, hash: Uint8Array): Promise<unknown> {
    const params = method === 'eth_getBlockByHash' ? [toHex(hash), false] : [toHex(hash)];
    const found = await this.ask({ method, params });
    const number = blockNumberOf(found, method === 'eth_getBlockByHash' ? 'number' : 'blockNumber');
    return number !== undefined && number <= this.pin.number ? found : null;
  }

  /** Returns the block with that number as `eth_getBlockByNumber` gives it, transactions as hashes. */
  block(number: number): Promise<unknown> {
    return this.ask({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] });
  }

  /**
   * Returns the number of the block with that hash; `undefined` when it is not one of the chain up to the pinned block.
   */
  async numberOf(hash: Uint8Array): Promise<number | undefined> {
    const found = await this.find('eth_getBlockByHash', hash);
    const number = blockNumberOf(found, 'number');
    if (number === undefined) return undefined;
    // Nodes also keep blocks that were reorganized out of the chain.
    const canonical = asObject(await this.block(number))?.hash;
    return typeof canonical === 'string' && canonical.toLowerCase() === toHex(hash) ? number : undefined;
  }
}
