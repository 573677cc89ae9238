import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { forkCacheDirectory } from '../fork/cache/fork-cache.ts';
import type { RunRecord } from '../fork/cache/run-record.ts';
import type { Fork } from '../fork/fork.ts';
import type { ForkConfig, OpenFork, OpenRecordedFork } from '../fork/fork-handle.ts';
import { type FixedSettings, type ForkOptions, type ForkRecord, splitForkUrl } from '../fork/fork-options.ts';
import type { ForkSurroundings } from '../fork/open-fork.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import { type WallClock, waitedTimers } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { UsageError } from './errors.ts';
import type { Environment, NodeOptions } from './options.ts';

/** The dependencies of opening forks. */
export interface ForkHost {
  readonly environment: Environment;
  readonly clock: WallClock;
  readonly random: RandomSource;
  /** Creates the listener for the requests of one fork; absent when they are not logged. */
  readonly listen?: () => Promise<UpstreamTraffic>;
}

/** The same, with the record of what is asked; `null` for none. */
interface RecordingHost extends ForkHost {
  readonly runRecord: RunRecord | null;
}

function cacheDirectoryOf(options: NodeOptions, environment: Environment): string | null {
  // A record must hold all that a run offline needs: the user's own cache would hide what others will miss.
  if (options.noStorageCaching || (options.forkRecord !== null && options.offline)) return null;
  const surroundings = { platform: process.platform, environment, home: homedir() };
  return options.forkCacheDir ?? forkCacheDirectory(surroundings);
}

/**
 * Returns where the fork begins that the options ask for, and how its upstream is asked. Throws {@link UsageError} when they name
 * two blocks.
 */
export function forkOptionsOf(options: NodeOptions, environment: Environment): ForkOptions {
  const split = options.forkUrl.map(splitForkUrl);
  const numbers = split.flatMap(({ blockNumber }) => blockNumber ?? []);
  if (options.forkBlockNumber !== null) numbers.push(options.forkBlockNumber);
  const [blockNumber = null] = numbers;
  if (numbers.some((number) => number !== blockNumber))
    throw new UsageError(
      `a fork begins at one block, not at ${[...new Set(numbers)].join(' and ')}; name it once`,
    );
  if (blockNumber !== null && options.forkTransactionHash !== null)
    throw new UsageError('a fork begins at a block or before a transaction; name one of them');
  return {
    urls: split.map(({ url }) => url),
    blockNumber,
    transactionHash: options.forkTransactionHash,
    chainId: options.forkChainId,
    headers: Object.fromEntries(options.forkHeader),
    timeout: options.timeout,
    retries: options.retries,
    retryBackoff: options.forkRetryBackoff,
    computeUnitsPerSecond: options.computeUnitsPerSecond,
    noRateLimit: options.noRateLimit,
    isOffline: options.offline,
    prefetches: options.forkPrefetch,
    dumpsFetched: options.forkComplete,
    cacheDirectory: cacheDirectoryOf(options, environment),
  };
}

async function openIn(
  { clock, random, listen, runRecord }: RecordingHost,
  act: (surroundings: ForkSurroundings) => Promise<Fork>,
): Promise<Fork> {
  const { upstreamPost } = await import('../fork/upstream/upstream-post.ts');
  const recording = runRecord === null ? {} : { runRecord };
  const own = { post: upstreamPost(), clock, random, timers: waitedTimers, ...recording };
  return act(listen === undefined ? own : { ...own, traffic: await listen() });
}

async function open(options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openFork } = await import('../fork/open-fork.ts');
  return openIn(host, (surroundings) => openFork(options, surroundings));
}

async function openRecord(record: ForkRecord, options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openRecordedFork, recordedForkOptions } = await import('../fork/open-recorded-fork.ts');
  const own = recordedForkOptions(record, options);
  return openIn(host, (surroundings) => openRecordedFork(record, own, surroundings));
}

/** Returns the record that the options name; `null` for none. Its code is loaded only for one. */
async function runRecordOf({ forkRecord, offline }: NodeOptions): Promise<RunRecord | null> {
  if (forkRecord === null) return null;
  const { RunRecord } = await import('../fork/cache/run-record.ts');
  return RunRecord.read(resolve(forkRecord), offline);
}

/** Returns which settings were given and stay; the rest is taken from the chain that is forked. */
function fixedBy({ given }: NodeOptions): FixedSettings {
  return {
    chainId: given.has('chainId'),
    gasLimit: given.has('gasLimit'),
    minimumGasPrice: given.has('minGasPrice'),
  };
}

/**
 * Opens the fork that the options ask for, or that the file `record` was forked from; resolves to it with functions that open others later.
 * Rejects with a `CodedError` when the upstream does not answer what is needed.
 */
export async function openForkConfig(
  options: NodeOptions,
  forkHost: ForkHost,
  record: ForkRecord | null = null,
): Promise<ForkConfig> {
  const own = forkOptionsOf(options, forkHost.environment);
  const runRecord = await runRecordOf(options);
  const host = { ...forkHost, runRecord };
  const isAtOwnServer = (url: string): boolean =>
    own.urls.some((known) => new URL(known).origin === new URL(url).origin);
  const areOwn = (urls: readonly string[]): boolean => urls.every((one) => own.urls.includes(one));
  const openOther: OpenFork = ({ url, blockNumber }, present) => {
    const urls = url === null ? (present?.upstream.secretUrls ?? own.urls) : [url];
    // The chain id and the headers named at the start are those of the upstream then. Headers can hold its secrets.
    const chainId = areOwn(urls) ? own.chainId : null;
    const headers = urls.every(isAtOwnServer) ? own.headers : {};
    // The directory belongs to the user, who did not choose what callers name.
    const cacheDirectory = areOwn(urls) ? own.cacheDirectory : null;
    const named = { ...own, urls, blockNumber, transactionHash: null, chainId, headers, cacheDirectory };
    return open(named, areOwn(urls) ? host : { ...host, runRecord: null });
  };
  const openRecorded: OpenRecordedFork = (recorded) =>
    own.urls.length > 0
      ? openRecord(recorded, own, host)
      : openRecord(recorded, { ...own, cacheDirectory: null }, { ...host, runRecord: null });
  const openFirst = async (): Promise<Fork | null> => {
    if (record !== null) {
      const { checkForkPoint } = await import('../fork/open-recorded-fork.ts');
      checkForkPoint(record, own);
      return openRecord(record, own, host);
    }
    return own.urls.length === 0 ? null : open(own, host);
  };
  const finish = async (): Promise<void> => runRecord?.save();
  return { fork: await openFirst(), fixed: fixedBy(options), open: openOther, openRecorded, finish };
}

/**
 * Returns the options of a chain that goes on from the fork: the upstream's values where none was given. A file of the fork
 * (`isRecorded`) has settled most of them.
 */
export function optionsOnFork(
  chain: ChainOptions,
  { fork, fixed }: ForkConfig,
  options: NodeOptions,
  isRecorded = false,
): ChainOptions {
  if (fork === null) return chain;
  const settled = isRecorded ? chain : fork.settingsOn(chain, fixed);
  return {
    ...settled,
    ruleSet: isRecorded || options.given.has('hardfork') ? chain.ruleSet : fork.ruleSet,
    // Whether these contracts exist is the upstream's state.
    predeploys: false,
  };
}
