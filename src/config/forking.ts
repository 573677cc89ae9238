import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { forkCacheDirectory } from '../fork/cache/fork-cache.ts';
import type { RunRecord } from '../fork/cache/run-record.ts';
import { ForkPointError } from '../fork/errors.ts';
import type { Fork } from '../fork/fork.ts';
import type { ForkConfig, OpenFork, OpenRecordedFork } from '../fork/fork-handle.ts';
import type { ForkKeeper } from '../fork/fork-keeper.ts';
import { type FixedSettings, type ForkOptions, type ForkRecord, splitForkUrl } from '../fork/fork-options.ts';
import type { ForkDependencies } from '../fork/open-fork.ts';
import { MASK } from '../fork/upstream/mask-url.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import { type WallClock, waitedTimers } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { OwnChain } from '../rpc/lanes/lane.ts';
import { NoKeptForkError } from '../storage/errors.ts';
import { UsageError } from './errors.ts';
import { chainOptionsOf } from './node-settings.ts';
import { settleOptions } from './option-values.ts';
import { type Environment, type NodeOptions, OPTION_ENTRIES } from './options.ts';

/** A chain with its own first block or fork, next to the base chain. The caller must release its fork. */
export interface SeparateChain {
  readonly options: ChainOptions;
  readonly forking: ForkConfig;
}

/** Opens the settings of a chain next to the base chain. Rejects with a `CodedError`, for example an error of the fork URL. */
export type OpenOwnChain = (chain: OwnChain) => Promise<SeparateChain>;

/** The dependencies of opening forks. */
export interface ForkHost {
  readonly environment: Environment;
  readonly clock: WallClock;
  readonly random: RandomSource;
  /** Creates the listener for the requests of one fork; absent when they are not logged. */
  readonly listen?: () => Promise<UpstreamTraffic>;
}

/** A host with the record of what is asked of the upstream; `null` for none. */
interface RecordingHost extends ForkHost {
  readonly runRecord: RunRecord | null;
  /** Keeps the fork; absent for one that is in memory. */
  readonly keeper?: ForkKeeper;
  /** True for a URL that the user named; `null` if clients may name any URL too. */
  readonly isTrusted: ((url: string) => boolean) | null;
}

function cacheDirectoryOf(options: NodeOptions, environment: Environment): string | null {
  // A record must hold all that a run offline needs: the user's own cache would hide what others will miss.
  if (options.noStorageCaching || (options.forkRecord !== null && options.offline)) return null;
  const dependencies = { platform: process.platform, environment, home: homedir() };
  return options.forkCacheDir ?? forkCacheDirectory(dependencies);
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
      `a fork starts from one block, but blocks ${[...new Set(numbers)].join(' and ')} are set; set one block only`,
    );
  if (blockNumber !== null && options.forkTransactionHash !== null)
    throw new UsageError(
      'a fork starts from a block or before a transaction, but both are set; remove one of them',
    );
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
  { clock, random, listen, runRecord, keeper, isTrusted }: RecordingHost,
  act: (dependencies: ForkDependencies) => Promise<Fork>,
): Promise<Fork> {
  const { upstreamPost } = await import('../fork/upstream/upstream-post.ts');
  const recording = {
    ...(runRecord === null ? {} : { runRecord }),
    ...(keeper === undefined ? {} : { keeper }),
  };
  const trust = isTrusted === null ? null : { isTrusted };
  const post = upstreamPost(trust);
  const own = { post, clock, random, timers: waitedTimers, ...recording, ...trust };
  return act(listen === undefined ? own : { ...own, traffic: await listen() });
}

async function open(options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openFork } = await import('../fork/open-fork.ts');
  return openIn(host, (dependencies) => openFork(options, dependencies));
}

/** Opens the fork of a data directory, without a request to its upstream. */
async function openKept(record: ForkRecord, options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { checkForkPoint, keptForkOptions, openRecordedFork } = await import('../fork/open-recorded-fork.ts');
  checkForkPoint(record, options, 'data directory');
  const own = keptForkOptions(record, options);
  return openIn(host, (dependencies) => openRecordedFork(record, own, dependencies));
}

async function openRecord(record: ForkRecord, options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openRecordedFork, recordedForkOptions } = await import('../fork/open-recorded-fork.ts');
  const own = recordedForkOptions(record, options);
  return openIn(host, (dependencies) => openRecordedFork(record, own, dependencies));
}

/** Returns the record that the options name; `null` for none. Its code is loaded only for one. */
async function runRecordOf({ forkRecord, offline }: NodeOptions): Promise<RunRecord | null> {
  if (forkRecord === null) return null;
  const { RunRecord } = await import('../fork/cache/run-record.ts');
  return RunRecord.read(resolve(forkRecord), offline);
}

/** Returns the keeper of the fork in the data directory; `null` for a chain in memory. Its code is loaded only for one. */
async function keeperOf({ dataDir }: NodeOptions): Promise<ForkKeeper | null> {
  if (dataDir === null) return null;
  const { ForkDirectory } = await import('../persistence/durable/fork-directory.ts');
  return ForkDirectory.read(resolve(dataDir));
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
  const keeper = await keeperOf(options);
  // The user has named these too: now, or when the data directory was made. A client could name a masked URL literally.
  const recorded = [...(record?.urls ?? []), ...(keeper?.record?.urls ?? [])];
  const trusted = new Set([...own.urls, ...recorded.filter((url) => !url.includes(MASK))]);
  // The clients of a hosted node are strangers, who must not reach the user's own network through it.
  const isTrusted = options.hosted ? (url: string): boolean => trusted.has(url) : null;
  const host = { ...forkHost, runRecord, isTrusted };
  const isAtOwnServer = (url: string): boolean =>
    isTrusted?.(url) !== false && own.urls.some((known) => new URL(known).origin === new URL(url).origin);
  const areOwn = (urls: readonly string[]): boolean => urls.every((one) => own.urls.includes(one));
  // A client chooses these URLs. Their answers go only into a directory that the user has named, of a node for one user.
  const sharedDirectory = options.hosted || options.forkCacheDir === null ? null : own.cacheDirectory;
  const openOther: OpenFork = ({ url, blockNumber }, present) => {
    const urls = url === null ? (present?.upstream.secretUrls ?? own.urls) : [url];
    // The chain id and the headers named at the start are those of the upstream then. Headers can hold its secrets.
    const chainId = areOwn(urls) ? own.chainId : null;
    const headers = urls.every(isAtOwnServer) ? own.headers : {};
    const cacheDirectory = areOwn(urls) ? own.cacheDirectory : sharedDirectory;
    const named = { ...own, urls, blockNumber, transactionHash: null, chainId, headers, cacheDirectory };
    return open(named, areOwn(urls) ? host : { ...host, runRecord: null });
  };
  const openRecorded: OpenRecordedFork = (recorded) =>
    own.urls.length > 0
      ? openRecord(recorded, own, host)
      : openRecord(recorded, { ...own, cacheDirectory: sharedDirectory }, { ...host, runRecord: null });
  const openFirst = async (): Promise<Fork | null> => {
    if (record !== null) {
      const { checkForkPoint } = await import('../fork/open-recorded-fork.ts');
      checkForkPoint(record, own, 'dump');
      return openRecord(record, own, host);
    }
    const kept = keeper?.record ?? null;
    const keeping = keeper === null ? host : { ...host, keeper };
    if (kept !== null) return openKept(kept, own, keeping);
    if (own.isOffline && own.urls.length === 0 && options.dataDir !== null)
      throw new NoKeptForkError(options.dataDir);
    return own.urls.length === 0 ? null : open(own, keeping);
  };
  const finish = async (): Promise<void> => runRecord?.save();
  const config = { fork: await openFirst(), fixed: fixedBy(options), open: openOther, openRecorded, finish };
  return keeper === null ? config : { ...config, keeper };
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
    // The state of the upstream decides whether these contracts exist.
    predeploys: false,
  };
}

/** Returns the options of the command line for a chain of its own: as those of the base, with the limits that its rules usually have. */
function optionsOfOwn(options: NodeOptions, { chainId, hardfork }: OwnChain): NodeOptions {
  const given = new Set(options.given);
  for (const key of ['hardfork', 'chainId', 'dataDir'] as const) given.delete(key);
  const name = hardfork ?? options.hardfork;
  const usual = settleOptions(new Map([['hardfork', { texts: [name], source: 'hardfork' }]]));
  const kept = Object.fromEntries(
    OPTION_ENTRIES.flatMap(([key]) => (given.has(key) ? [[key, options[key]] as const] : [])),
  );
  if (hardfork !== null) given.add('hardfork');
  if (chainId !== null) given.add('chainId');
  return { ...usual, ...kept, hardfork: name, chainId: chainId ?? options.chainId, given };
}

/**
 * Returns what makes the settings of lanes that are chains of their own: with the base's options, but for rules, chain id and
 * fork. Without a fork of its own such a lane begins where the base began, on its fork or with its first block. The caller must
 * release the fork.
 */
export function ownChainsOf(
  options: NodeOptions,
  { devAccounts, genesis }: Pick<ChainOptions, 'devAccounts' | 'genesis'>,
  forking: ForkConfig,
): OpenOwnChain {
  return async (chain) => {
    const own = optionsOfOwn(options, chain);
    const wished = { ...chainOptionsOf(own, devAccounts), genesis: chain.fork === null ? genesis : null };
    if (chain.fork !== null && chain.fork.url === null && forking.fork === null)
      throw new ForkPointError(
        'the node is not a fork, so forkBlockNumber requires forkUrl; pass the URL of a node as forkUrl',
      );
    const fork = chain.fork === null ? forking.fork : await forking.open(chain.fork, forking.fork);
    fork?.hold();
    const fixed = { ...fixedBy(options), chainId: chain.chainId !== null };
    const separate = { ...forking, fork, fixed };
    return { options: optionsOnFork(wished, separate, own), forking: separate };
  };
}
