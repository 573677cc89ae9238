import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { forkCacheDirectory } from '../fork/cache/cache-directory.ts';
import type { RunRecord } from '../fork/cache/run-record.ts';
import { ForkPointError } from '../fork/errors.ts';
import type { Fork } from '../fork/fork.ts';
import type { ForkConfig, OpenFork, OpenRecordedFork } from '../fork/fork-handle.ts';
import type { ForkKeeper } from '../fork/fork-keeper.ts';
import {
  type FixedSettings,
  type ForkOptions,
  type ForkRecord,
  type ForkTransaction,
  splitForkUrl,
} from '../fork/fork-options.ts';
import type { ForkDependencies } from '../fork/open-fork.ts';
import { MASK } from '../fork/upstream/mask-url.ts';
import type { ProxyOf, ProxySettings } from '../fork/upstream/proxy-choice.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import { systemTimers, type WallClock, waitedTimers } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { changedRuleSet, type RuleSetName } from '../protocol/hardforks/registry.ts';
import type { OwnChain } from '../rpc/lanes/lane.ts';
import { NoSavedForkError } from '../storage/errors.ts';
import { UsageError } from './errors.ts';
import { chainOptionsOf } from './node-settings.ts';
import { RULE_CHANGE_KEYS, settleOptions } from './option-values.ts';
import { type Environment, flagOf, type NodeOptions, OPTION_ENTRIES } from './options.ts';

/** A chain with its own genesis block or fork, for a lane. The caller must release its fork. */
export interface SeparateChain {
  readonly options: ChainOptions;
  readonly forking: ForkConfig;
}

/** Opens a chain for a lane. Rejects with a `CodedError`, for example of the fork URL. */
export type OpenOwnChain = (chain: OwnChain) => Promise<SeparateChain>;

export interface ForkHost {
  readonly environment: Environment;
  readonly clock: WallClock;
  readonly random: RandomSource;
  /** Creates the listener for the requests of a fork; absent if they are not logged. */
  readonly listen?: () => Promise<UpstreamTraffic>;
}

/** A host that also records requests to the fork URL. */
interface RecordingHost extends ForkHost {
  readonly runRecord: RunRecord | null;
  /** Stores the fork; absent for a chain in memory. */
  readonly keeper?: ForkKeeper;
  /** True for a URL that the user has set; `null` if clients may use any URL. */
  readonly isTrusted: ((url: string) => boolean) | null;
  readonly proxySettings: ProxySettings;
}

function cacheDirectoryOf(options: NodeOptions, environment: Environment): string | null {
  // A record must contain all data for an offline run. Data in the user's own cache would be missing in it.
  if (options.noStorageCaching || (options.forkRecord !== null && options.offline)) return null;
  const dependencies = { platform: process.platform, environment, home: homedir() };
  return options.forkCacheDir ?? forkCacheDirectory(dependencies);
}

function forkTransactionOf({
  forkTransactionHash,
  forkBeforeTransaction,
}: NodeOptions): ForkTransaction | null {
  if (forkTransactionHash !== null) return { hash: forkTransactionHash, isApplied: true };
  return forkBeforeTransaction === null ? null : { hash: forkBeforeTransaction, isApplied: false };
}

/** Returns the options of the requested fork. Throws {@link UsageError} if they contain two blocks. */
export function forkOptionsOf(options: NodeOptions, environment: Environment): ForkOptions {
  const split = options.forkUrl.map(splitForkUrl);
  const numbers = split.flatMap(({ blockNumber }) => blockNumber ?? []);
  if (options.forkBlockNumber !== null) numbers.push(options.forkBlockNumber);
  const [blockNumber = null] = numbers;
  if (numbers.some((number) => number !== blockNumber))
    throw new UsageError(
      `a fork starts from one block, but blocks ${[...new Set(numbers)].join(' and ')} are set; set one block only`,
    );
  const transaction = forkTransactionOf(options);
  if (blockNumber !== null && transaction !== null)
    throw new UsageError(
      'a fork starts from a block or at a transaction, but both are set; remove one of them',
    );
  return {
    urls: split.map(({ url }) => url),
    blockNumber,
    transaction,
    follow: options.forkFollow,
    chainId: options.forkChainId,
    headers: Object.fromEntries(options.forkHeader),
    proxy: options.forkProxy,
    timeout: options.timeout,
    retries: options.retries,
    retryBackoff: options.forkRetryBackoff,
    computeUnitsPerSecond: options.computeUnitsPerSecond,
    noRateLimit: options.noRateLimit,
    isOffline: options.offline,
    prefetches: options.forkPrefetch,
    hints: options.forkHints,
    dumpsFetched: options.forkComplete,
    cacheDirectory: cacheDirectoryOf(options, environment),
  };
}

async function openIn(
  { clock, random, listen, runRecord, keeper, isTrusted, proxySettings }: RecordingHost,
  act: (dependencies: ForkDependencies) => Promise<Fork>,
): Promise<Fork> {
  const [{ upstreamPost, upstreamSockets }, { proxyFor }] = await Promise.all([
    import('../fork/upstream/upstream-post.ts'),
    import('../fork/upstream/proxy-choice.ts'),
  ]);
  const recording = {
    ...(runRecord === null ? {} : { runRecord }),
    ...(keeper === undefined ? {} : { keeper }),
  };
  const trust = isTrusted === null ? null : { isTrusted };
  const proxyOf: ProxyOf = (url) => proxyFor(url, proxySettings);
  const post = upstreamPost(trust, proxyOf);
  const heads = { openSocket: upstreamSockets(trust, proxyOf), timers: systemTimers };
  const own = { post, heads, clock, random, timers: waitedTimers, ...recording, ...trust };
  return act(listen === undefined ? own : { ...own, traffic: await listen() });
}

async function open(options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openFork } = await import('../fork/open-fork.ts');
  return openIn(host, (dependencies) => openFork(options, dependencies));
}

/** Opens the fork of a data directory without a request to its fork URL. */
async function openKept(record: ForkRecord, options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { checkForkPoint, savedForkOptions, openRecordedFork } = await import(
    '../fork/open-recorded-fork.ts'
  );
  checkForkPoint(record, options, 'data directory');
  const own = savedForkOptions(record, options);
  return openIn(host, (dependencies) => openRecordedFork(record, own, dependencies));
}

async function openRecord(record: ForkRecord, options: ForkOptions, host: RecordingHost): Promise<Fork> {
  const { openRecordedFork, recordedForkOptions } = await import('../fork/open-recorded-fork.ts');
  const own = recordedForkOptions(record, options);
  return openIn(host, (dependencies) => openRecordedFork(record, own, dependencies));
}

/** Returns the record of `--fork-record`; `null` if not set. Loads its code on demand. */
async function runRecordOf({ forkRecord, offline }: NodeOptions): Promise<RunRecord | null> {
  if (forkRecord === null) return null;
  const { RunRecord } = await import('../fork/cache/run-record.ts');
  return RunRecord.read(resolve(forkRecord), offline);
}

/** Returns the store of the fork in the data directory; `null` in memory. Loads its code on demand. */
async function keeperOf({ dataDir }: NodeOptions): Promise<ForkKeeper | null> {
  if (dataDir === null) return null;
  const { ForkDirectory } = await import('../persistence/durable/fork-directory.ts');
  return ForkDirectory.read(resolve(dataDir));
}

/** Returns the explicitly given settings. The others come from the forked chain. */
function fixedBy({ given }: NodeOptions): FixedSettings {
  return {
    chainId: given.has('chainId'),
    gasLimit: given.has('gasLimit'),
    minimumGasPrice: given.has('minGasPrice'),
  };
}

/**
 * Opens the fork of the options or of the dump `record`, and returns functions that open more forks later.
 * Rejects with a `CodedError` if the fork URL does not return the required data.
 */
export async function openForkConfig(
  options: NodeOptions,
  forkHost: ForkHost,
  record: ForkRecord | null = null,
): Promise<ForkConfig> {
  const own = forkOptionsOf(options, forkHost.environment);
  const runRecord = await runRecordOf(options);
  const keeper = await keeperOf(options);
  // The user has set these URLs, too: now or at the creation of the data directory. Masked URLs are excluded.
  const recorded = [...(record?.urls ?? []), ...(keeper?.record?.urls ?? [])];
  const trusted = new Set([...own.urls, ...recorded.filter((url) => !url.includes(MASK))]);
  // Clients of a hosted node are untrusted. They must not reach the user's network through it.
  const isTrusted = options.hosted ? (url: string): boolean => trusted.has(url) : null;
  const proxySettings = { forkProxy: own.proxy, environment: forkHost.environment };
  const host = { ...forkHost, runRecord, isTrusted, proxySettings };
  const isAtOwnServer = (url: string): boolean =>
    isTrusted?.(url) !== false && own.urls.some((known) => new URL(known).origin === new URL(url).origin);
  const areOwn = (urls: readonly string[]): boolean => urls.every((one) => own.urls.includes(one));
  // Clients choose these URLs. Their data is cached only in an explicit directory, and not on a hosted node.
  const sharedDirectory = options.hosted || options.forkCacheDir === null ? null : own.cacheDirectory;
  const openOther: OpenFork = ({ url, blockNumber, follows = true }, present) => {
    const urls = url === null ? (present?.upstream.secretUrls ?? own.urls) : [url];
    // The options' chain id and headers belong to their fork URL. Headers can contain secrets.
    const chainId = areOwn(urls) ? own.chainId : null;
    const headers = urls.every(isAtOwnServer) ? own.headers : {};
    const cacheDirectory = areOwn(urls) ? own.cacheDirectory : sharedDirectory;
    const follow = follows ? own.follow : null;
    const named = {
      ...own,
      urls,
      blockNumber,
      transaction: null,
      follow,
      chainId,
      headers,
      cacheDirectory,
    };
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
      throw new NoSavedForkError(options.dataDir);
    return own.urls.length === 0 ? null : open(own, keeping);
  };
  const finish = async (): Promise<void> => runRecord?.save();
  const fixed = fixedBy(options);
  const config = { fork: await openFirst(), unforked: null, fixed, open: openOther, openRecorded, finish };
  return keeper === null ? config : { ...config, keeper };
}

/**
 * Returns the options of a chain on the fork. Options that were not given come from the forked chain. If
 * `isRecorded`, the dump has already set most of them.
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
    ruleSet:
      isRecorded || options.given.has('hardfork') ? chain.ruleSet : withRuleChanges(fork.ruleSet, options),
    // The state of the forked chain determines whether these contracts exist.
    predeploys: false,
    // A given base fee is the fee of the first own block.
    repeatsGenesisBaseFee: chain.baseFee !== null,
    // The Bridge of the forked chain follows another parent chain.
    parentChain: null,
  };
}

/**
 * Returns the fork's rules with the changes of `--rskip` and `--with-eip`. Throws a `UsageError` if they do not fit.
 */
function withRuleChanges(ruleSet: RuleSetName, options: NodeOptions): RuleSetName {
  let name = ruleSet;
  for (const key of RULE_CHANGE_KEYS) {
    const changed = changedRuleSet(name, options[key]);
    if ('fault' in changed) throw new UsageError(`${flagOf(key)}: ${changed.fault}`);
    ({ name } = changed);
  }
  return name;
}

/**
 * Returns the forking of a chain that can end its fork. After that, the chain has the options without a fork,
 * with the default limits of the fork's hardfork.
 */
export function endableForking(
  forking: ForkConfig,
  options: NodeOptions,
  { ruleSet, devAccounts }: Pick<ChainOptions, 'ruleSet' | 'devAccounts'>,
): ForkConfig {
  if (forking.fork === null) return forking;
  const own = optionsOfOwn(options, { chainId: null, hardfork: ruleSet, fork: null });
  return { ...forking, unforked: chainOptionsOf(own, devAccounts) };
}

/** Returns the options for a separate chain: the base's options with the default limits of its hardfork. */
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
 * Returns a function that opens the settings of lanes with a separate chain. These lanes use the options of
 * the base except hardfork, chain id and fork. Without their own fork, they start from the base's fork or
 * genesis block. The caller must release the fork.
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
    const fork =
      chain.fork === null
        ? forking.fork
        : await forking.open({ ...chain.fork, follows: false }, forking.fork);
    fork?.hold();
    const fixed = { ...fixedBy(options), chainId: chain.chainId !== null };
    const separate = { ...forking, fork, fixed };
    const settled = optionsOnFork(wished, separate, own);
    return { options: settled, forking: endableForking(separate, own, settled) };
  };
}
