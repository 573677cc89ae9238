import { toHex, toQuantity } from '../primitives/hex.ts';
import { asObject, type JsonObject } from '../wire/tolerant.ts';
import type { AnswerCache } from './cache/fork-cache.ts';
import { OfflineError } from './errors.ts';
import { isAnswerTo } from './upstream/answer-shape.ts';
import { callOfText, PINNED_BLOCK, textOfCall, type UpstreamCall } from './upstream/upstream-call.ts';
import type { UpstreamClient } from './upstream/upstream-client.ts';
import type { BlockPin } from './upstream/upstream-endpoint.ts';
import { blockNumberOf } from './upstream-block.ts';

type KnownAnswers = (call: UpstreamCall) => unknown;

/** The method that gives the block, and the member of the block that is counted. */
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
 * The answer to the call where it follows from others that are at hand: a block with the hashes of its transactions from
 * one with the transactions, and how many transactions and uncles it has. `undefined` where it does not.
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

/** What a chain up to one block is read from. */
export interface UpstreamChainParts {
  readonly client: UpstreamClient;
  readonly cache: AnswerCache;
  readonly pin: BlockPin;
  /** Never ask the upstream: what the cache does not hold is not to be had. */
  readonly isOffline: boolean;
}

/** Methods that find something by its hash, in which blocks that came after the pinned one must not be found. */
type ByHash = 'eth_getTransactionByHash' | 'eth_getTransactionReceipt' | 'eth_getBlockByHash';

/**
 * The chain that a fork began on, up to the pinned block. It never changes, so every answer is kept, and nothing is
 * asked twice.
 */
export class UpstreamChain {
  readonly pin: BlockPin;
  readonly #parts: UpstreamChainParts;
  /** Answers that came along with a dump or that the cache must not have, by the text of the call. */
  readonly #given = new Map<string, unknown>();
  /** False once others than the cache is of may have answered. */
  #isCached = true;
  #version = 0;

  constructor(parts: UpstreamChainParts) {
    this.pin = parts.pin;
    this.#parts = parts;
  }

  /** A number that is another one whenever answers have come since. */
  get version(): number {
    return this.#version;
  }

  /** The URLs that are asked at the moment, with what is secret in them. */
  get secretUrls(): readonly string[] {
    return this.#parts.client.urls;
  }

  /** The URLs, secrets starred out; the first is the first that was given. */
  get urls(): readonly string[] {
    return this.#parts.client.names;
  }

  /**
   * Asks at other URLs from now on, which must be of the same chain. The cache is of those that were asked before: it is
   * still read, and nothing is added to it any more.
   */
  useUrls(urls: readonly string[]): void {
    this.#isCached = false;
    this.#parts.client.useUrls(urls);
  }

  /** The answer, if it was given before or follows from others; `undefined` when it must be asked for. */
  known(call: UpstreamCall): unknown {
    const kept = this.#kept(call);
    return kept === undefined ? derivedAnswer(call, (other) => this.#kept(other)) : kept;
  }

  #kept(call: UpstreamCall): unknown {
    const text = textOfCall(call);
    const given = this.#given.get(text);
    if (given !== undefined) return given;
    // Files of earlier versions hold whatever upstreams answered.
    const kept = this.#parts.cache.get(text);
    return isAnswerTo(call, kept) ? kept : undefined;
  }

  /** Takes in answers that were given to a fork of the same block, by the text of the call; but none that makes no sense. */
  give(answers: ReadonlyMap<string, unknown>): void {
    for (const [text, answer] of answers) {
      const call = callOfText(text);
      if (call !== undefined && isAnswerTo(call, answer)) this.#given.set(text, answer);
    }
    this.#version++;
  }

  /** All answers that are at hand, by the text of the call, in the order of these texts. */
  answers(): ReadonlyMap<string, unknown> {
    const answers = new Map([...this.#parts.cache.entries(), ...this.#given]);
    return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /**
   * The upstream's answer to a question about the chain up to the pinned block. Rejects with an `UpstreamError`, an
   * `UpstreamRefusalError` or an {@link OfflineError}.
   */
  async ask(call: UpstreamCall): Promise<unknown> {
    const known = this.known(call);
    if (known !== undefined) return known;
    const { client, cache, isOffline } = this.#parts;
    if (isOffline)
      throw new OfflineError(
        call.method,
        call.params.filter((param) => typeof param !== 'symbol'),
      );
    const answer = await client.ask(call);
    // A node that has not seen something yet may see it later; but the state after the pinned block is there.
    const maySeeItLater = answer === null && !call.params.includes(PINNED_BLOCK);
    if (answer === undefined || maySeeItLater) return answer;
    const answers = this.#isCached ? cache : this.#given;
    answers.set(textOfCall(call), answer);
    this.#version++;
    return answer;
  }

  /** What the upstream has under a hash, `null` for nothing, and for what came after the pinned block. */
  async find(method: ByHash, hash: Uint8Array): Promise<unknown> {
    const params = method === 'eth_getBlockByHash' ? [toHex(hash), false] : [toHex(hash)];
    const found = await this.ask({ method, params });
    const number = blockNumberOf(found, method === 'eth_getBlockByHash' ? 'number' : 'blockNumber');
    return number !== undefined && number <= this.pin.number ? found : null;
  }

  /** The block with that number as `eth_getBlockByNumber` gives it, transactions as hashes. */
  block(number: number): Promise<unknown> {
    return this.ask({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] });
  }

  /** The number of the block with that hash; `undefined` when it is not one of the chain up to the pinned block. */
  async numberOf(hash: Uint8Array): Promise<number | undefined> {
    const found = await this.find('eth_getBlockByHash', hash);
    const number = blockNumberOf(found, 'number');
    if (number === undefined) return undefined;
    // Nodes keep blocks that lost their place, too.
    const canonical = asObject(await this.block(number))?.hash;
    return typeof canonical === 'string' && canonical.toLowerCase() === toHex(hash) ? number : undefined;
  }
}
