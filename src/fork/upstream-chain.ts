// The upstream's chain as a fork reads it, with all answers cached.

import { toHex, toQuantity } from '../primitives/hex.ts';
import { asObject } from '../wire/tolerant.ts';
import type { AnswerCache } from './cache/fork-cache.ts';
import { FORK_URL_OPTION, OfflineError } from './errors.ts';
import {
  blockCall,
  isAnswerTo,
  PINNED_BLOCK,
  textOfCall,
  transactionCall,
  type UpstreamCall,
} from './upstream/upstream-call.ts';
import type { UpstreamClient } from './upstream/upstream-client.ts';
import type { BlockPin } from './upstream/upstream-endpoint.ts';
import { blockNumberOf } from './upstream-block.ts';

/** The longest text of a question whose answer is kept, in characters: clients choose the data of calls and filters. */
const LONGEST_QUESTION = 8192;

type KnownAnswers = (call: UpstreamCall) => unknown;

/**
 * Returns the answer to the call if it follows from other answers in memory: a block with the hashes of its
 * transactions from one with the transactions, and the counts of its transactions and uncles. `undefined` otherwise.
 */
function derivedAnswer({ params, expects, counts }: UpstreamCall, known: KnownAnswers): unknown {
  const [block, isFull] = params;
  if (isFull === false && (expects === 'blockOfNumber' || expects === 'blockOfHash')) {
    const whole = asObject(known(blockCall(block, true)));
    const transactions = whole?.transactions;
    if (!Array.isArray(transactions)) return undefined;
    return { ...whole, transactions: transactions.map((transaction) => asObject(transaction)?.hash) };
  }
  if (counts === undefined) return undefined;
  const counted = [true, false].map((isWhole) => asObject(known(blockCall(block, isWhole)))?.[counts]);
  const list = counted.find((one) => Array.isArray(one));
  return list === undefined ? undefined : toQuantity(list.length);
}

/** The first block of a chain: its number, and the hash of the parent that the chain does not have. */
interface FirstBlock {
  readonly number: number;
  readonly parentHash: unknown;
}

/**
 * Resolves to the first block of the upstream: a chain of a genesis file may begin with a number above 0, and has no block 0
 * then. Rejects as `ask` does.
 */
export async function firstUpstreamBlock(upstream: Pick<UpstreamChain, 'ask'>): Promise<FirstBlock> {
  const zero = await upstream.ask(blockCall('0x0', false));
  const first = zero ?? (await upstream.ask(blockCall('earliest', false)));
  return { number: blockNumberOf(first, 'number') ?? 0, parentHash: asObject(first)?.parentHash };
}

/**
 * The chain that a fork began on, up to the pinned block. It never changes: answers are kept, so that no call is made twice.
 * Only calls whose text is very long are made again, since clients could fill the memory with them.
 */
export class UpstreamChain {
  readonly pin: BlockPin;
  readonly #client: UpstreamClient;
  readonly #cache: AnswerCache;
  readonly #isOffline: boolean;
  /** The pinned block as returned by `eth_getBlockByNumber`, and the calls that return it. */
  readonly #pinned: { readonly block: unknown; readonly texts: ReadonlySet<string> };
  /** Answers that came along with a dump or that the cache must not have, by the text of the call. */
  readonly #given = new Map<string, unknown>();
  /** False once another upstream than the cache's may have answered. */
  #isCached = true;
  #version = 0;

  /** `block` is the pinned block. With `isOffline` the upstream is never asked: the cache is the only source. */
  constructor(
    client: UpstreamClient,
    cache: AnswerCache,
    { pin, block }: { readonly pin: BlockPin; readonly block: unknown },
    isOffline: boolean,
  ) {
    this.pin = pin;
    const names = [toQuantity(pin.number), toHex(pin.hash)];
    this.#pinned = { block, texts: new Set(names.map((name) => textOfCall(blockCall(name, false)))) };
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
    // Dumps, and files of earlier versions, hold whatever upstreams answered.
    const pinned = this.#pinned.texts.has(text) ? this.#pinned.block : undefined;
    for (const kept of [this.#given.get(text), this.#cache.get(text), pinned])
      if (kept !== undefined && isAnswerTo(call, kept)) return kept;
    return undefined;
  }

  /** Adds answers that were given to a fork of the same block, by the text of the call, except for malformed ones. */
  give(answers: ReadonlyMap<string, unknown>): void {
    for (const [text, answer] of answers) this.#given.set(text, answer);
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
    await this.#cache.readOn();
    const added = this.known(call);
    if (added !== undefined) return added;
    if (this.#isOffline)
      throw OfflineError.ofCall(
        call.method,
        call.params.filter((param) => typeof param !== 'symbol'),
        `${FORK_URL_OPTION} --fork-block-number ${this.pin.number}`,
      );
    const answer = await this.#client.ask(call);
    // A node that has not seen something yet may see it later; but the state after the pinned block is there.
    const maySeeItLater = answer === null && !call.params.includes(PINNED_BLOCK);
    if (answer === undefined || maySeeItLater) return answer;
    const text = textOfCall(call);
    if (text.length > LONGEST_QUESTION) return answer;
    const answers = this.#isCached ? this.#cache : this.#given;
    answers.set(text, answer);
    this.#version++;
    return answer;
  }

  /** Returns the mined transaction with that hash, `null` for none, and for one that came after the pinned block. */
  async transaction(hash: Uint8Array): Promise<unknown> {
    return this.#upToPin(await this.ask(transactionCall(hash)), 'blockNumber');
  }

  #upToPin(found: unknown, member: 'number' | 'blockNumber'): unknown {
    const number = blockNumberOf(found, member);
    return number !== undefined && number <= this.pin.number ? found : null;
  }

  /** Returns the block with that number as `eth_getBlockByNumber` gives it, transactions as hashes. */
  block(number: number): Promise<unknown> {
    return this.ask(blockCall(toQuantity(number), false));
  }

  /**
   * Returns the number of the block with that hash; `undefined` when it is not one of the chain up to the pinned block.
   */
  async numberOf(hash: Uint8Array): Promise<number | undefined> {
    const found = this.#upToPin(await this.ask(blockCall(toHex(hash), false)), 'number');
    const number = blockNumberOf(found, 'number');
    if (number === undefined) return undefined;
    // Nodes also keep blocks that were reorganized out of the chain.
    const canonical = asObject(await this.block(number))?.hash;
    return typeof canonical === 'string' && canonical.toLowerCase() === toHex(hash) ? number : undefined;
  }
}
