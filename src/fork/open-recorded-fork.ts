import { equalBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { asObject, tolerantFixedData } from '../wire/tolerant.ts';
import { ForkCache } from './cache/fork-cache.ts';
import { recordedIn } from './cache/run-record.ts';
import { ForkPointError } from './errors.ts';
import { Fork } from './fork.ts';
import { cachedIn } from './fork-keeper.ts';
import {
  type ForkOptions,
  type ForkRecord,
  type ForkTransaction,
  transactionOption,
} from './fork-options.ts';
import { type ForkDependencies, withClient } from './open-fork.ts';
import { MASK, maskUrl } from './upstream/mask-url.ts';
import type { BlockPin } from './upstream/upstream-call.ts';
import { blockQuestion } from './upstream/upstream-call.ts';
import type { UpstreamClient } from './upstream/upstream-client.ts';
import { UpstreamChain } from './upstream-chain.ts';

/**
 * Throws a {@link ForkPointError} if the options name a different block from the record's. A block that counts
 * from the newest block is not compared.
 */
export function checkForkPoint(
  record: ForkRecord,
  { blockNumber, transaction }: ForkOptions,
  place: 'dump' | 'data directory',
): void {
  const isOther = blockNumber !== null && blockNumber >= 0 && blockNumber !== record.number;
  if (!isOther && (transaction === null || isAt(record, transaction))) return;
  const { number } = record;
  const wish = transaction === null ? `at block ${blockNumber}` : transactionWords(transaction);
  const remedy =
    transaction === null
      ? `pass block ${number}, omit the block`
      : `remove ${transactionOption(transaction)}`;
  throw new ForkPointError(
    `the ${place} contains a fork at block ${number}, not ${wish}; ${remedy}, or use another ${place}`,
  );
}

function transactionWords({ hash, isApplied }: ForkTransaction): string {
  return `${isApplied ? 'after' : 'before'} transaction ${toHex(hash)}`;
}

/** True if the recorded fork starts at this transaction. */
function isAt({ before }: ForkRecord, { hash, isApplied }: ForkTransaction): boolean {
  if (before === null) return false;
  const transactions = asObject(before.block)?.transactions;
  const index = isApplied ? before.index - 1 : before.index;
  const found = Array.isArray(transactions) ? asObject(transactions[index])?.hash : undefined;
  return typeof found === 'string' && found.toLowerCase() === toHex(hash);
}

/**
 * Returns the upstream options of a recorded fork. Explicit URLs take precedence. Otherwise a complete record
 * needs no upstream, and an incomplete one uses its own URLs. Throws a {@link ForkPointError} if their
 * secrets are masked.
 */
export function recordedForkOptions({ urls: own, answers }: ForkRecord, options: ForkOptions): ForkOptions {
  const dumpsFetched = options.dumpsFetched || answers !== null;
  if (options.urls.length > 0) return { ...options, dumpsFetched };
  if (answers !== null) return { ...options, urls: own, dumpsFetched, isOffline: true };
  const urls = own.filter((url) => !url.includes(MASK));
  if (urls.length > 0) return { ...options, urls, dumpsFetched };
  throw new ForkPointError(
    `the secrets in the fork URL of the dump, ${maskUrl(own[0] ?? '')}, are masked; pass the complete URL with --fork-url`,
  );
}

/**
 * Returns the upstream options of a stored fork. Explicit URLs take precedence. Otherwise the record's URLs
 * apply; if their secrets are masked, the fork is offline.
 */
export function savedForkOptions({ urls: own }: ForkRecord, options: ForkOptions): ForkOptions {
  if (options.urls.length > 0) return options;
  const urls = own.filter((url) => !url.includes(MASK));
  return urls.length > 0 ? { ...options, urls } : { ...options, urls: own, isOffline: true };
}

/**
 * Opens the fork of a dump at the URLs of the options. They must have its block. The caller must hold the
 * fork. Rejects with a {@link ForkPointError} or an `UpstreamError`.
 */
export function openRecordedFork(
  record: ForkRecord,
  options: ForkOptions,
  dependencies: ForkDependencies,
): Promise<Fork> {
  return withClient(options, dependencies, (client) => openWith(record, options, dependencies, client));
}

async function openWith(
  record: ForkRecord,
  options: ForkOptions,
  dependencies: ForkDependencies,
  client: UpstreamClient,
): Promise<Fork> {
  const { chainId, number, hash, block, before, funds, answers } = record;
  const { urls, isOffline, cacheDirectory } = options;
  const { clock, runRecord, keeper } = dependencies;
  const cache = cachedIn(keeper, recordedIn(runRecord, new ForkCache(cacheDirectory, urls, clock)));
  const pin = { number, hash };
  const isKnown = isSameHash(await cache.block(chainId, `${number}`, false), hash);
  if (!isOffline && !isKnown) await checkBlock(client, pin);
  client.pinTo(pin, () => cache.forgetBlock(chainId, `${number}`));
  const upstream = UpstreamChain.of(client, await cache.answers(chainId, pin), { pin, block }, isOffline);
  runRecord?.begin(chainId, number, block);
  if (answers !== null) upstream.answers.give(answers);
  return new Fork({ options, upstream, chainId, block, before, funds, close: () => client.close() });
}

function isSameHash(block: unknown, hash: Uint8Array): boolean {
  const own = tolerantFixedData(asObject(block)?.hash, hash.length);
  return own !== undefined && equalBytes(own, hash);
}

async function checkBlock(client: UpstreamClient, { number, hash }: BlockPin): Promise<void> {
  const block = await client.ask(blockQuestion(toQuantity(number), false));
  if (isSameHash(block, hash)) return;
  const own = asObject(block)?.hash;
  const found = typeof own === 'string' ? `the hash ${own.slice(0, 66)}` : 'no block';
  throw new ForkPointError(
    `the dump contains a fork at block ${number} with the hash ${toHex(hash)}, but ${client.names[0]} returns ${found}; pass another --fork-url`,
  );
}
