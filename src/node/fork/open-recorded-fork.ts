import { equalBytes } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { ForkCache } from './cache/fork-cache.ts';
import { asObject, tolerantFixedData } from './decoding.ts';
import { ForkPointError } from './errors.ts';
import { Fork } from './fork.ts';
import type { ForkOptions } from './fork-options.ts';
import type { ForkRecord } from './fork-record.ts';
import type { ForkSurroundings } from './open-fork.ts';
import { MASK } from './upstream/mask-url.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';
import type { BlockPin } from './upstream/upstream-endpoint.ts';
import { UpstreamChain } from './upstream-chain.ts';

/**
 * How the upstream of a recorded fork is asked, where options say it for any fork: at their URLs; without any, not at all
 * if the record has all that was fetched, else at its own. Throws a {@link ForkPointError} for options that begin at
 * another block, and where secrets were left out of the record's URLs.
 */
export function recordedForkOptions(record: ForkRecord, options: ForkOptions): ForkOptions {
  const { blockNumber, transactionHash, urls } = options;
  const { number, answers } = record;
  const isOther = blockNumber !== null && blockNumber !== number;
  if (isOther || (transactionHash !== null && record.before === null)) {
    const wish = isOther ? `block ${blockNumber}` : 'a transaction';
    throw new ForkPointError(
      `The dump is of a fork that begins at block ${number}, not at ${wish}; leave that out`,
    );
  }
  const dumpsFetched = options.dumpsFetched || answers !== null;
  if (urls.length > 0) return { ...options, dumpsFetched };
  if (answers !== null) return { ...options, urls: record.urls, dumpsFetched, isOffline: true };
  const whole = record.urls.filter((url) => !url.includes(MASK));
  if (whole.length > 0) return { ...options, urls: whole, dumpsFetched };
  throw new ForkPointError(
    `The dump is of a fork of ${record.urls[0]}, without the secrets of that URL; name it in full with --fork-url`,
  );
}

/**
 * Opens the fork that a dump is of, at the URLs of the options, which must have its block. Rejects with a
 * {@link ForkPointError} or an `UpstreamError`.
 */
export async function openRecordedFork(
  record: ForkRecord,
  options: ForkOptions,
  surroundings: ForkSurroundings,
): Promise<Fork> {
  const { chainId, number, hash, block, before, funds, answers } = record;
  const { urls, isOffline, cacheDirectory } = options;
  const client = new UpstreamClient(urls, options, surroundings);
  const cache = new ForkCache(cacheDirectory, surroundings.clock);
  const pin = { number, hash };
  const isKnown = isSameHash(cache.block(chainId, `${number}`, false), hash);
  if (!isOffline && !isKnown) await checkBlock(client, pin);
  client.pinTo(pin, () => cache.forgetBlock(chainId, `${number}`));
  const upstream = new UpstreamChain({ client, cache: cache.answers(chainId, pin), pin, isOffline });
  if (answers !== null) upstream.give(answers);
  return new Fork({ options, upstream, chainId, block, before, funds, close: () => client.close() });
}

function isSameHash(block: unknown, hash: Uint8Array): boolean {
  const own = tolerantFixedData(asObject(block)?.hash, hash.length);
  return own !== undefined && equalBytes(own, hash);
}

async function checkBlock(client: UpstreamClient, { number, hash }: BlockPin): Promise<void> {
  const block = await client.ask({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] });
  if (isSameHash(block, hash)) return;
  const own = asObject(block)?.hash;
  const found = typeof own === 'string' ? `the hash ${own.slice(0, 66)}` : 'no such block';
  throw new ForkPointError(
    `The dump is of a fork of block ${number} with the hash ${toHex(hash)}; at ${client.names[0]} there is ${found}`,
  );
}
