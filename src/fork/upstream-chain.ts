// The upstream's chain as a fork reads it.

import { toHex, toQuantity } from '../primitives/hex.ts';
import { asObject, tolerantQuantity } from '../wire/tolerant.ts';
import { AnswerStore, type LaterBlock } from './answer-store.ts';
import type { AnswerCache } from './cache/fork-cache.ts';
import { ForkPointError, OtherChainError } from './errors.ts';
import { ServedMethods } from './served-methods.ts';
import type { CreateWatch, HeadWatch } from './upstream/head-watch.ts';
import {
  type BlockPin,
  blockQuestion,
  callAt,
  transactionQuestion,
  type UpstreamCall,
} from './upstream/upstream-call.ts';
import type { UpstreamClient } from './upstream/upstream-client.ts';
import { blockNumberOf } from './upstream-block.ts';

/** The first block of a chain: its number, and the hash of its missing parent. */
export interface FirstBlock {
  readonly number: number;
  readonly parentHash: unknown;
}

/**
 * Resolves to the upstream's first block. With a genesis file, a chain may start above number 0 and has no
 * block 0. Rejects as `ask` does.
 */
export async function firstUpstreamBlock(upstream: Pick<AnswerStore, 'ask'>): Promise<FirstBlock> {
  const zero = await upstream.ask(blockQuestion('0x0', false));
  const first = zero ?? (await upstream.ask(blockQuestion('earliest', false)));
  return { number: blockNumberOf(first, 'number') ?? 0, parentHash: asObject(first)?.parentHash };
}

/** The upstream's chain up to the pinned block. */
export class UpstreamChain {
  readonly pin: BlockPin;
  readonly answers: AnswerStore;
  readonly served: ServedMethods;
  readonly #client: UpstreamClient;
  readonly #isOffline: boolean;
  readonly #placed: (call: UpstreamCall) => UpstreamCall;

  /** `placed` returns a call with this block, if the client pins another one. */
  private constructor(
    client: UpstreamClient,
    answers: AnswerStore,
    pin: BlockPin,
    isOffline: boolean,
    placed: (call: UpstreamCall) => UpstreamCall = (call) => call,
    served = new ServedMethods(answers),
  ) {
    this.pin = pin;
    this.answers = answers;
    this.served = served;
    this.#client = client;
    this.#isOffline = isOffline;
    this.#placed = placed;
  }

  /** `block` is the pinned block. With `isOffline` no request is sent; the cache is the only source. */
  static of(
    client: UpstreamClient,
    cache: AnswerCache,
    { pin, block }: { readonly pin: BlockPin; readonly block: unknown },
    isOffline: boolean,
  ): UpstreamChain {
    const names = [toQuantity(pin.number), toHex(pin.hash)];
    const keys = new Set(names.map((name) => blockQuestion(name, false).key));
    const answers = new AnswerStore(client, cache, { number: pin.number, block, keys }, isOffline);
    return new UpstreamChain(client, answers, pin, isOffline);
  }

  /** Returns the chain up to an earlier block. Both share the client and all responses. */
  at(pin: BlockPin, block: unknown): UpstreamChain {
    const answers = this.answers.at(pin.number, block);
    const placed = (call: UpstreamCall): UpstreamCall => callAt(call, pin.number);
    return new UpstreamChain(this.#client, answers, pin, this.#isOffline, placed, this.served);
  }

  /** Returns the chain up to a later block. Both share the client. See {@link AnswerStore.after}. */
  after(pin: BlockPin, block: unknown, later: LaterBlock): UpstreamChain {
    const answers = this.answers.after(pin, block, later);
    const placed = (call: UpstreamCall): UpstreamCall => ({ ...call, at: pin });
    return new UpstreamChain(this.#client, answers, pin, false, placed, this.served);
  }

  /** The present URLs, including their secrets. */
  get secretUrls(): readonly string[] {
    return this.#client.urls;
  }

  /** The URLs with masked secrets, in the given order. */
  get urls(): readonly string[] {
    return this.#client.names;
  }

  /**
   * Switches to other URLs of the chain with this id. The cache of the former URLs is read but not written.
   * Rejects with an {@link OtherChainError} or an `UpstreamError`; the former URLs then stay. Offline, the
   * URLs are not checked.
   */
  async useUrls(urls: readonly string[], chainId: number): Promise<void> {
    const check = async (ask: UpstreamClient['ask']): Promise<void> => {
      const found = tolerantQuantity(await ask({ method: 'eth_chainId', params: [], expects: 'quantity' }));
      if (found === undefined) throw new ForkPointError('the fork URL returns no chain id');
      if (Number(found) !== chainId) throw new OtherChainError(chainId, Number(found));
    };
    await this.#client.useUrls(urls, this.#isOffline ? null : check);
    this.answers.stopCaching();
    this.served.forget();
  }

  /** Returns the upstream's response about the chain up to the pinned block (see {@link AnswerStore.ask}). */
  ask(call: UpstreamCall): Promise<unknown> {
    return this.answers.ask(call);
  }

  /** Returns the mined transaction; `null` if unknown or after the pinned block. */
  async transaction(hash: Uint8Array): Promise<unknown> {
    return this.#upToPin(await this.ask(transactionQuestion(hash)), 'blockNumber');
  }

  /** True after a rate-limit error of the upstream, because each call then waits for a budget. */
  get isLimited(): boolean {
    return this.#client.isLimited;
  }

  /** Sends the call, without the answer store. Rejects as {@link UpstreamClient.ask}. */
  askNow(call: UpstreamCall): Promise<unknown> {
    return this.#client.ask(this.#placed(call));
  }

  /** See {@link UpstreamClient.watchWith}. */
  watchWith(create: CreateWatch): Pick<HeadWatch, 'stop'> {
    return this.#client.watchWith(create);
  }

  #upToPin(found: unknown, member: 'number' | 'blockNumber'): unknown {
    const number = blockNumberOf(found, member);
    return number !== undefined && number <= this.pin.number ? found : null;
  }

  /** Returns the block as `eth_getBlockByNumber` does, with transaction hashes. */
  block(number: number): Promise<unknown> {
    return this.ask(blockQuestion(toQuantity(number), false));
  }

  /** Returns the number of the block; `undefined` unless it is on the chain up to the pinned block. */
  async numberOf(hash: Uint8Array): Promise<number | undefined> {
    const found = this.#upToPin(await this.ask(blockQuestion(toHex(hash), false)), 'number');
    const number = blockNumberOf(found, 'number');
    if (number === undefined) return undefined;
    // Nodes also return orphans.
    const canonical = asObject(await this.block(number))?.hash;
    return typeof canonical === 'string' && canonical.toLowerCase() === toHex(hash) ? number : undefined;
  }
}
