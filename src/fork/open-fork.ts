// Opens a fork: finds and pins its block, creates the client, and prefetches state that the last run
// requested.

import type { Timers, WallClock } from '../primitives/clock.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import { asObject, tolerantQuantity } from '../wire/tolerant.ts';
import type { AnswerStore } from './answer-store.ts';
import { ForkCache, type UpstreamCache } from './cache/fork-cache.ts';
import { type RunRecord, recordedIn } from './cache/run-record.ts';
import { FORK_URL_OPTION, ForkPointError, OfflineError } from './errors.ts';
import { Fork, type OpenedFork } from './fork.ts';
import { cachedIn, type ForkKeeper } from './fork-keeper.ts';
import { type ForkOptions, type ForkTransaction, transactionOption } from './fork-options.ts';
import type { HeadDependencies } from './upstream/head-subscription.ts';
import type { HttpPost } from './upstream/http-post.ts';
import { MASK, maskUrl } from './upstream/mask-url.ts';
import {
  type AnswerKind,
  blockQuestion,
  isAnswerTo,
  PINNED_BLOCK,
  type Question,
  questionOf,
  transactionQuestion,
  type UpstreamCall,
  type UpstreamTraffic,
} from './upstream/upstream-call.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';
import { blockNumberOf, isClosingTransaction, UpstreamFields } from './upstream-block.ts';
import { UpstreamChain } from './upstream-chain.ts';

/** The state requests, which have the same text at every block, and their expected responses. */
const STATE_QUESTIONS: Readonly<Record<string, AnswerKind>> = {
  eth_getTransactionCount: 'quantity',
  eth_getBalance: 'quantity',
  eth_getCode: 'dataOrNull',
  eth_getStorageAt: 'word',
  eth_call: 'data',
};

/** Requests per batch. */
const BATCH_SIZE = 100;

/** Maximum number of prefetched requests, enough for a large test suite. */
const MAX_QUESTIONS = 20_000;

/** Parses JSON; `null` if invalid, because cache files and records can be edited. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the question with this key; `null` unless it reads the state after the pinned block. */
function stateQuestionOf(text: string): Question | null {
  const call = parsed(text);
  const [method, params] = Array.isArray(call) ? call : [];
  const expects = typeof method === 'string' ? STATE_QUESTIONS[method] : undefined;
  if (expects === undefined || !Array.isArray(params) || params.at(-1) !== '@') return null;
  return questionOf({ method, params: [...params.slice(0, -1), PINNED_BLOCK], expects });
}

/**
 * Prefetches missing state requests (as text), one batch at a time, so that client requests need not wait for
 * all of them. Resolves at the end. If the upstream fails, prefetching stops, and the error appears only when
 * a client needs the missing state.
 */
async function prefetch(answers: AnswerStore, keys: readonly string[]): Promise<void> {
  const questions = keys.slice(0, MAX_QUESTIONS).flatMap((key) => stateQuestionOf(key) ?? []);
  const missing = questions.filter((question) => answers.get(question) === undefined);
  for (let start = 0; start < missing.length; start += BATCH_SIZE) {
    const batch = missing.slice(start, start + BATCH_SIZE).map((question) => answers.fetch(question));
    const outcomes = await Promise.allSettled(batch);
    if (outcomes.every(({ status }) => status === 'rejected')) return;
  }
}

export interface ForkDependencies {
  readonly post: HttpPost;
  readonly clock: WallClock;
  /** These timers must keep the process alive. */
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Called for each upstream request; optional. */
  readonly traffic?: UpstreamTraffic;
  /** Records the requests; optional. */
  readonly runRecord?: RunRecord;
  /** Stores the fork and its responses; optional. */
  readonly keeper?: ForkKeeper;
  /** True for a URL from the node's user; absent if all URLs are the user's. */
  readonly isTrusted?: (url: string) => boolean;
  /** Required to follow the upstream; its timers must not keep the process alive. */
  readonly heads?: HeadDependencies;
}

/** Returns the options of a start that fetches the fork block. */
function optionsFetching({ blockNumber, transaction }: ForkOptions): string {
  if (transaction !== null)
    return `${FORK_URL_OPTION} ${transactionOption(transaction)} ${toHex(transaction.hash)}`;
  return blockNumber === null ? FORK_URL_OPTION : `${FORK_URL_OPTION} --fork-block-number ${blockNumber}`;
}

/** A block with at least this number of blocks above it is considered final. */
const DEPTH = 64;

/** A chain id and a block of this chain. */
interface ChainBlock {
  readonly chainId: number;
  readonly block: unknown;
}

/** Determines chain id and block of a fork, from the cache if sufficient. */
class ForkPoint {
  readonly #options: ForkOptions;
  readonly #client: UpstreamClient;
  readonly #cache: UpstreamCache;

  constructor(options: ForkOptions, client: UpstreamClient, cache: UpstreamCache) {
    this.#options = options;
    this.#client = client;
    this.#cache = cache;
  }

  #ask(call: UpstreamCall): Promise<unknown> {
    if (this.#options.isOffline)
      throw OfflineError.ofCall(call.method, call.params, optionsFetching(this.#options));
    return this.#client.ask(call);
  }

  /**
   * Returns the upstream's chain id. `name` is the block's name in the cache; `null` for the newest block.
   * Without a cached block the chain id is requested, because a restarted development node may have another
   * chain.
   */
  async chainId(name: string | null): Promise<number> {
    const { chainId, isOffline } = this.#options;
    if (chainId !== null) return chainId;
    const known = await this.#cache.chainId();
    if (known !== undefined) {
      const isSameChain = name !== null && ((await this.#cache.block(known, name, false)) ?? null) !== null;
      if (isOffline || isSameChain) return known;
    }
    const answer = tolerantQuantity(
      await this.#ask({ method: 'eth_chainId', params: [], expects: 'quantity' }),
    );
    if (answer === undefined) throw new ForkPointError('the fork URL returns no chain id');
    this.#cache.keepChainId(Number(answer));
    return Number(answer);
  }

  async newest(): Promise<ChainBlock> {
    await this.#requireNewest('--fork-block-number');
    const [block, chainId] = await Promise.all([
      this.#ask(blockQuestion('latest', false)),
      this.chainId(null),
    ]);
    // A later run can name this block by its number.
    const number = blockNumberOf(block, 'number');
    if (number !== undefined) this.#cache.keepBlock(chainId, `${number}`, { block, isDeep: false });
    return { chainId, block };
  }

  /** Returns the block `count` blocks below the newest one. */
  async belowNewest(count: number): Promise<ChainBlock> {
    await this.#requireNewest('a --fork-block-number that does not count from the newest block');
    const [head, chainId] = await Promise.all([this.#ask(HEAD_NUMBER), this.chainId(null)]);
    const newest = tolerantQuantity(head);
    if (newest === undefined) throw new ForkPointError('the fork URL returns no block number');
    const number = Number(newest) - count;
    if (number < 0)
      throw new ForkPointError(
        `--fork-block-number -${count}: the fork URL has no block ${count} blocks below its newest block ${newest}; expected a number from -${newest}`,
      );
    return { chainId, block: await this.numbered(chainId, number) };
  }

  /** Rejects with a {@link ForkPointError} offline. `needed` is the required option. */
  async #requireNewest(needed: string): Promise<void> {
    if (this.#options.isOffline)
      throw new ForkPointError(
        `--offline requires ${needed}, because the newest block is unknown offline; ${await this.#cachedBlockWords()}`,
      );
  }

  async #cachedBlockWords(): Promise<string> {
    const chainId = this.#options.chainId ?? (await this.#cache.chainId());
    const number = chainId === undefined ? undefined : await this.#cache.lastBlock(chainId);
    return number === undefined
      ? 'the cache has no block of this URL: start once without --offline'
      : `the cache has block ${number}: pass --fork-block-number ${number}`;
  }

  async numbered(chainId: number, number: number): Promise<unknown> {
    const known = await this.#cache.block(chainId, `${number}`, this.#options.isOffline);
    const call = blockQuestion(toQuantity(number), false);
    if (isBlock(known, call)) return known;
    const [block, head] = await Promise.all([this.#ask(call), this.#ask(HEAD_NUMBER)]);
    if (block === null || block === undefined)
      throw new ForkPointError(`the fork URL has no block ${number}: ${headWords(head)}`);
    this.#cache.keepBlock(chainId, `${number}`, { block, isDeep: isDeep(number, head) });
    return block;
  }

  /** Returns the block of a transaction, with all its transactions. */
  async ofTransaction(chainId: number, hash: Uint8Array): Promise<unknown> {
    const key = toHex(hash);
    const known = await this.#cache.block(chainId, key, this.#options.isOffline);
    if (isBlock(known, blockQuestion(null, true))) return known;
    const [transaction, head] = await Promise.all([
      this.#ask(transactionQuestion(hash)),
      this.#ask(HEAD_NUMBER),
    ]);
    const number = blockNumberOf(transaction);
    if (number === undefined || number === 0)
      throw new ForkPointError(`the fork URL has no mined transaction ${key}`);
    const block = await this.#ask(blockQuestion(toQuantity(number), true));
    this.#cache.keepBlock(chainId, key, { block, isDeep: isDeep(number, head) });
    return block;
  }
}

/** False if absent, or if earlier versions stored an invalid block. */
function isBlock(known: unknown, call: UpstreamCall): boolean {
  const isThere = known !== undefined && known !== null;
  return isThere && isAnswerTo(call, known);
}

const HEAD_NUMBER: UpstreamCall = { method: 'eth_blockNumber', params: [], expects: 'anything' };

function headWords(head: unknown): string {
  const number = tolerantQuantity(head);
  return number === undefined ? 'its newest block is unknown' : `its newest block is ${number}`;
}

function isDeep(number: number, head: unknown): boolean {
  const newest = tolerantQuantity(head);
  return newest !== undefined && newest >= BigInt(number + DEPTH);
}

/** Returns the number of transactions of the block that the fork executes again. */
function replayedCount(block: unknown, { hash, isApplied }: ForkTransaction): number {
  const transactions = asObject(block)?.transactions;
  const own = toHex(hash);
  const index = Array.isArray(transactions)
    ? transactions.findIndex((one) => String(asObject(one)?.hash).toLowerCase() === own)
    : -1;
  if (index === -1)
    throw new ForkPointError(
      `invalid response from the fork URL: the block of transaction ${own} does not list this transaction`,
    );
  if (!isApplied) return index;
  if (Array.isArray(transactions) && isClosingTransaction(transactions[index]))
    throw new ForkPointError(
      `--fork-transaction-hash: transaction ${own} closes its block and cannot be executed here; pass --fork-block-number ${blockNumberOf(block, 'number')}`,
    );
  return index + 1;
}

async function findPoint(
  options: ForkOptions,
  point: ForkPoint,
): Promise<Pick<OpenedFork, 'chainId' | 'before' | 'block'>> {
  const { blockNumber, transaction } = options;
  if (transaction !== null) {
    const chainId = await point.chainId(toHex(transaction.hash));
    const block = await point.ofTransaction(chainId, transaction.hash);
    const parent = new UpstreamFields(block, 'block of the transaction').number('number') - 1;
    return {
      chainId,
      before: { block, index: replayedCount(block, transaction) },
      block: await point.numbered(chainId, parent),
    };
  }
  if (blockNumber === null) return { before: null, ...(await point.newest()) };
  if (blockNumber < 0) return { before: null, ...(await point.belowNewest(-blockNumber)) };
  const chainId = await point.chainId(`${blockNumber}`);
  return { chainId, before: null, block: await point.numbered(chainId, blockNumber) };
}

/** Opens a fork with a new client for its upstream. Closes the client on failure. */
export async function withClient(
  options: ForkOptions,
  dependencies: ForkDependencies,
  open: (client: UpstreamClient) => Promise<Fork>,
): Promise<Fork> {
  const client = new UpstreamClient(options.urls, options, dependencies);
  try {
    return await open(client);
  } catch (error) {
    client.close();
    throw error;
  }
}

/**
 * Returns the options with the recorded block, to repeat the recorded run. An explicit block takes precedence,
 * but not a block that counts from the newest block.
 */
function atRecordedBlock(options: ForkOptions, runRecord: RunRecord | undefined): ForkOptions {
  const { blockNumber, transaction } = options;
  const isNamed = (blockNumber !== null && blockNumber >= 0) || transaction !== null;
  return isNamed ? options : { ...options, blockNumber: runRecord?.firstBlock ?? blockNumber };
}

/**
 * Opens a fork and pins its block by number and hash. The caller must hold it. Rejects with a
 * {@link ForkPointError}, an {@link OfflineError} or an `UpstreamError`.
 */
export async function openFork(options: ForkOptions, dependencies: ForkDependencies): Promise<Fork> {
  const masked = options.urls.find((url) => url.includes(MASK));
  if (masked !== undefined)
    throw new ForkPointError(
      `the secrets in ${maskUrl(masked)} are masked, as in dumps; pass the complete URL`,
    );
  return withClient(options, dependencies, (client) => openAt(options, dependencies, client));
}

async function openAt(
  options: ForkOptions,
  dependencies: ForkDependencies,
  client: UpstreamClient,
): Promise<Fork> {
  const { urls, isOffline, cacheDirectory } = options;
  const { clock, runRecord, keeper } = dependencies;
  const cache = cachedIn(keeper, recordedIn(runRecord, new ForkCache(cacheDirectory, urls, clock)));
  const wished = atRecordedBlock(options, runRecord);
  const { chainId, before, block } = await findPoint(wished, new ForkPoint(options, client, cache));
  const fields = new UpstreamFields(block, 'fork block');
  const pin = { number: fields.number('number'), hash: fields.fixed('hash', 32) };
  // The cached block is no longer on the upstream's chain, for example after a restart of a development node.
  // Without it the next start succeeds.
  client.pinTo(pin, () => cache.forgetBlock(chainId, `${pin.number}`));
  const upstream = UpstreamChain.of(client, await cache.answers(chainId, pin), { pin, block }, isOffline);
  runRecord?.begin(chainId, pin.number, block);
  if (options.prefetches && !isOffline)
    void cache.earlierQuestions(chainId, pin).then((questions) => prefetch(upstream.answers, questions));
  return new Fork({
    options,
    upstream,
    chainId,
    block,
    before,
    isRecorded: runRecord !== undefined,
    funds: null,
    close: () => client.close(),
  });
}
