// The upstream's chain as a fork reads it, with all responses cached.

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

/** Maximum characters of a cached request. Clients choose the data of calls and filters. */
const LONGEST_QUESTION = 8192;

type KnownAnswers = (call: UpstreamCall) => unknown;

/**
 * Derives a response from others in memory: a block with transaction hashes from the full block, and the
 * counts of transactions and uncles. Otherwise `undefined`.
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

/** The first block of a chain: its number, and the hash of its missing parent. */
interface FirstBlock {
  readonly number: number;
  readonly parentHash: unknown;
}

/**
 * Resolves to the upstream's first block. With a genesis file, a chain may start above number 0 and has no
 * block 0. Rejects as `ask` does.
 */
export async function firstUpstreamBlock(upstream: Pick<UpstreamChain, 'ask'>): Promise<FirstBlock> {
  const zero = await upstream.ask(blockCall('0x0', false));
  const first = zero ?? (await upstream.ask(blockCall('earliest', false)));
  return { number: blockNumberOf(first, 'number') ?? 0, parentHash: asObject(first)?.parentHash };
}

/**
 * The upstream's chain up to the pinned block. It is immutable, so responses are cached and no request is
 * sent twice. Only very long requests are not cached, because clients could fill the memory with them.
 */
export class UpstreamChain {
  readonly pin: BlockPin;
  readonly #client: UpstreamClient;
  readonly #cache: AnswerCache;
  readonly #isOffline: boolean;
  /** The pinned block as returned by `eth_getBlockByNumber`, and the requests that return it. */
  readonly #pinned: { readonly block: unknown; readonly texts: ReadonlySet<string> };
  /** Responses kept out of the cache (for example from a dump), by request text. */
  readonly #given = new Map<string, unknown>();
  /** False once a different upstream from the cache's may have responded. */
  #isCached = true;
  #version = 0;

  /** `block` is the pinned block. With `isOffline` no request is sent; the cache is the only source. */
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

  /** Changes whenever responses are added. */
  get version(): number {
    return this.#version;
  }

  /** The present URLs, including their secrets. */
  get secretUrls(): readonly string[] {
    return this.#client.urls;
  }

  /** The URLs with masked secrets, in the given order. */
  get urls(): readonly string[] {
    return this.#client.names;
  }

  /** Switches to other URLs of the same chain. The cache of the former URLs is read but not written. */
  useUrls(urls: readonly string[]): void {
    this.#isCached = false;
    this.#client.useUrls(urls);
  }

  /** Returns a response that is in memory or can be derived; `undefined` if a request is necessary. */
  known(call: UpstreamCall): unknown {
    const kept = this.#kept(call);
    return kept === undefined ? derivedAnswer(call, (other) => this.#kept(other)) : kept;
  }

  #kept(call: UpstreamCall): unknown {
    const text = textOfCall(call);
    // Dumps and files of earlier versions can contain invalid responses.
    const pinned = this.#pinned.texts.has(text) ? this.#pinned.block : undefined;
    for (const kept of [this.#given.get(text), this.#cache.get(text), pinned])
      if (kept !== undefined && isAnswerTo(call, kept)) return kept;
    return undefined;
  }

  /** Adds the valid responses of a fork of the same block, by request text. */
  give(answers: ReadonlyMap<string, unknown>): void {
    for (const [text, answer] of answers) this.#given.set(text, answer);
    this.#version++;
  }

  /** Returns all responses in memory, sorted by request text. */
  answers(): ReadonlyMap<string, unknown> {
    const answers = new Map([...this.#cache.entries(), ...this.#given]);
    return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /**
   * Returns the upstream's response about the chain up to the pinned block. Rejects with an `UpstreamError`,
   * an `UpstreamRefusalError` or an {@link OfflineError}.
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
    // A missing item may appear later, except in the state after the pinned block.
    const maySeeItLater = answer === null && !call.params.includes(PINNED_BLOCK);
    if (answer === undefined || maySeeItLater) return answer;
    const text = textOfCall(call);
    if (text.length > LONGEST_QUESTION) return answer;
    const answers = this.#isCached ? this.#cache : this.#given;
    answers.set(text, answer);
    this.#version++;
    return answer;
  }

  /** Returns the mined transaction; `null` if unknown or after the pinned block. */
  async transaction(hash: Uint8Array): Promise<unknown> {
    return this.#upToPin(await this.ask(transactionCall(hash)), 'blockNumber');
  }

  #upToPin(found: unknown, member: 'number' | 'blockNumber'): unknown {
    const number = blockNumberOf(found, member);
    return number !== undefined && number <= this.pin.number ? found : null;
  }

  /** Returns the block as `eth_getBlockByNumber` does, with transaction hashes. */
  block(number: number): Promise<unknown> {
    return this.ask(blockCall(toQuantity(number), false));
  }

  /** Returns the number of the block; `undefined` unless it is on the chain up to the pinned block. */
  async numberOf(hash: Uint8Array): Promise<number | undefined> {
    const found = this.#upToPin(await this.ask(blockCall(toHex(hash), false)), 'number');
    const number = blockNumberOf(found, 'number');
    if (number === undefined) return undefined;
    // Nodes also return orphans.
    const canonical = asObject(await this.block(number))?.hash;
    return typeof canonical === 'string' && canonical.toLowerCase() === toHex(hash) ? number : undefined;
  }
}
