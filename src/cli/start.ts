import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { Chain } from '../chain/chain.ts';
import { printable, SaveError, StartError } from '../config/errors.ts';
import { serverOptionsOf } from '../config/node-settings.ts';
import { type Environment, type NodeOptions, VERSION } from '../config/options.ts';
import { maskOf } from '../fork/upstream/mask-url.ts';
import { watchChain } from '../log/chain-watch.ts';
import { createActivityLog, JsonLog, joinedLog } from '../log/entry-log.ts';
import { requestEntry, type StartEntry } from '../log/log-entries.ts';
import { type LogWriter, PLAIN_STYLE, terminalStyle } from '../log/log-writer.ts';
import { PlainLog } from '../log/plain-log.ts';
import { RefusalNotices } from '../log/refusal-notices.ts';
import { RevertCodeNotice } from '../log/revert-code-notice.ts';
import type { ChainNode } from '../node/create-node.ts';
import type { NodeLanes } from '../node/lanes.ts';
import type { OpenedNode } from '../node/open-node.ts';
import type { ReportOutput } from '../node/reports.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { systemWords } from '../primitives/file-system.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import { ActivityFeed, READS_EVERYTHING } from '../rpc/activity.ts';
import type { LaneAccess } from '../rpc/rpc-context.ts';
import { ListenError } from '../server/errors.ts';
import { healthOf } from '../server/get-requests.ts';
import type { Metrics } from '../server/metrics.ts';
import { startServer } from '../server/server.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import { type OpenChain, openChain } from './open-chain.ts';
import { StartRehearsal } from './rehearsal.ts';
import { configFileText, startEntry } from './start-entry.ts';

/**
 * Milliseconds after which a node that listens gets ready to sign, to recover and to execute. Not at once: its first
 * answers would wait for that, and not only when the first transaction comes, as then that would wait.
 */
const PREPARED_AFTER = 50;

/** Seconds without a call after which a lane is taken for done, when the node is to end. */
const IDLE_LANE = 10;

/** The options of a start. */
export type StartOptions = NodeOptions & {
  /** True to print summaries of reports at the end also with `quiet`; by default they follow `quiet`. */
  readonly printsReports?: boolean;
};

/** A node that runs. */
export interface RunningNode {
  readonly url: string;
  /** The number of JSON-RPC requests that were answered. */
  requestCount(): number;
  /** The user's contracts, as its chain and lanes know them. */
  readonly artifacts: LazyArtifacts;
  /** Writes the file of `--config-out`. Rejects with a {@link StartError} when it cannot be written; the node is closed then. */
  writeConfig(): Promise<void>;
  /** Does the same as {@link writeConfig}, and says that the node listens, unless it closes meanwhile. */
  announce(): Promise<void>;
  /**
   * Finishes pending requests, then stops serving and mining, and prints reports; `isHurried` ends pending requests and lanes
   * immediately. Resolves to the exit code; rejects with a `SaveError`.
   */
  close(isHurried?: boolean): Promise<number>;
  /** Returns in words which file the chain as it is now has not been saved to; `null` when it has, or is not saved at all. */
  unsaved(): string | null;
}

/** Returns true when the user wants no colours in any program (no-color.org). */
function asksForNoColor(environment: Environment): boolean {
  return (environment.NO_COLOR ?? '') !== '';
}

/** Returns the width that the environment gives for a terminal; `null` for none. */
function columnsIn({ COLUMNS: columns = '' }: Environment): number | null {
  return /^[1-9]\d{1,3}$/.test(columns) ? Number(columns) : null;
}

/** Returns the log that the options ask for, in colours only on a terminal and where they are not refused. */
async function createLog(options: NodeOptions, host: Host): Promise<LogWriter> {
  const { output, errorOutput, clock } = host;
  if (options.json) return new JsonLog({ output, errorOutput, clock });
  const hasColors = output.isTerminal && !options.noColor && !asksForNoColor(host.environment);
  const style = hasColors ? await terminalStyle() : PLAIN_STYLE;
  const width = output.columns ?? columnsIn(host.environment);
  return new PlainLog({ output, errorOutput, style, isVerbose: options.verbose, ...(width && { width }) });
}

async function writeConfigFile(
  path: string,
  entry: StartEntry,
  apiKey: string | null,
  chain: Chain,
  host: Host,
): Promise<void> {
  const { block: first } = await chain.view({ tag: 'earliest' });
  const facts = {
    baseFee: first.header.ethereum.baseFeePerGas,
    gasPrice: chain.fees.gasPrice(),
    genesisTimestamp: first.header.timestamp,
    apiKey,
  };
  try {
    await host.writeFile(path, configFileText(entry, facts));
  } catch (error) {
    throw new StartError(
      `--config-out: cannot write ${printable(path)}: ${systemWords(error)}; pass a file in an existing directory`,
    );
  }
}

/** Opens the lanes that the options request. */
async function openLanes({
  options,
  opened,
}: OpenChain): Promise<LaneAccess & { readonly lanes: NodeLanes }> {
  const { laneLimit: limit, laneTimeout: timeout } = options;
  const hasOwnLanes = options.lanes || options.apiKey.length === 0;
  const nameOf = (key: string): string => (hasOwnLanes ? laneName : keyName)(key, options.apiKey);
  return {
    lanes: await opened.openLanes({ limit, timeout, nameOf }),
    areKeysSecret: options.apiKey.length > 0,
  };
}

/** Returns what counts the calls and blocks of a node, and of its lanes, from now on. */
async function openMetrics(
  { chain }: ChainNode,
  lanes: LaneAccess['lanes'] | null,
  startedAt: number,
): Promise<Metrics> {
  const { Metrics } = await import('../server/metrics.ts');
  const metrics = new Metrics({
    version: VERSION,
    startedAt,
    health: () => healthOf(chain, lanes),
    waiting: () => chain.pool.size,
    usage() {
      const { rss: resident, ...memory } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return { ...memory, resident, cpuSeconds: (user + system) / 1e6 };
    },
  });
  metrics.watch(chain.events);
  lanes?.onOpen((lane) => metrics.watch(lane.node.chain.events));
  return metrics;
}

/** Closes the chain and writes the fork record. Rejects with a {@link SaveError}. */
async function closeNode(opened: OpenedNode): Promise<void> {
  try {
    await opened.close();
  } catch (error) {
    throw error instanceof CodedError ? new SaveError(error.message) : error;
  }
}

/** Returns the name of an API key in the log, which is a secret: its number. */
function keyName(key: string, apiKeys: readonly string[]): string {
  return `API key ${apiKeys.indexOf(key) + 1}`;
}

/** Returns the name of a lane in the log: its key, or the number of an API key, which is a secret. */
function laneName(key: string, apiKeys: readonly string[]): string {
  return apiKeys.length === 0 ? key : `of API key ${apiKeys.indexOf(key) + 1}`;
}

/** Starts a chain and serves it; {@link RunningNode.announce} is to follow. Rejects with `UsageError` or {@link StartError}; nothing is left running then. */
export async function startNode(given: StartOptions, host: Host): Promise<RunningNode> {
  const { printsReports = !given.quiet } = given;
  const log = await createLog(given, host);
  const { clock, timers } = host;
  const openedChain = await openChain(given, log, host);
  const { opened, options, compat, saver } = openedChain;
  const { node } = opened;
  const { chain, peers } = node;
  const lanes = options.lanes ? await openLanes(openedChain) : null;
  const nameOf = (key: string): string => laneName(key, options.apiKey);
  const pathOf = (key: string): string | null => (options.apiKey.length > 0 ? null : encodeURIComponent(key));
  const activity = new ActivityFeed(nameOf);
  const separatesKeys = options.apiKey.length > 1;
  const service = opened.serviceOf(node, lanes, activity);
  const activityLog = createActivityLog(activity, clock, lanes !== null && options.apiKey.length === 0);
  const reader = options.quiet ? activity : READS_EVERYTHING;
  const watch = watchChain(
    node,
    options.quiet ? activityLog : joinedLog(log, activityLog, activity),
    timers,
    {
      showsConsole: !options.noConsoleLog,
      isVerbose: options.verbose,
      reader,
      mask: maskOf(options.apiKey),
      ...(separatesKeys && { ownerName: nameOf }),
    },
  );
  const refusals = new RefusalNotices((notice) => watch.onNotice(notice));
  const revertCodes = new RevertCodeNotice((notice) => watch.onNotice(notice));
  lanes?.lanes.onOpen((lane) =>
    watch.addLane({ key: lane.key, node: lane.node, name: nameOf(lane.key), path: pathOf(lane.key) }),
  );
  const metrics = options.metrics ? await openMetrics(node, lanes?.lanes ?? null, clock.now() / 1_000) : null;
  const rehearsal = new StartRehearsal(timers);
  let requestCount = 0;
  const server = await startServer(serverOptionsOf(options), service, {
    timers,
    clock,
    peers,
    onInternalError: (error) => log.internalError(error),
    onRequest: (report, call) => {
      requestCount += 1;
      rehearsal.onCall();
      metrics?.count(report);
      if (reader.isWatched) watch.onRequest(requestEntry(report), call);
      if (report.error !== undefined) revertCodes.onError(report.error);
    },
    onRefused: (refusal, caller) => refusals.tell(refusal, caller),
    onInvalidMessage: ({ remoteAddress }, error) => refusals.tell(error, { address: remoteAddress }),
    health: () => healthOf(chain, lanes?.lanes ?? null),
    refusesLane: (key) => lanes?.lanes.refuses(key) === true,
    ...(metrics === null ? {} : { metrics: () => metrics.text() }),
  }).catch(async (error: unknown) => {
    saver?.stop();
    await chain.close();
    throw error instanceof ListenError ? new StartError(error.message) : error;
  });

  const preparation = timers.after(PREPARED_AFTER, () => {
    host.tuneProcess();
    void curve.prepare();
    rehearsal.begin(options, compat.choice);
    // The artifacts of a project are read in the background, so that the first failure is explained without waiting.
    if (node.inspector.artifacts.isInUse) void node.inspector.artifacts.load();
  });

  /** Writes all reports. Resolves to the exit code. */
  async function finishReports(): Promise<number> {
    const output: ReportOutput = {
      notice: (text) => log.notice(text),
      report: (kind, facts, lines) => log.report(kind, facts, lines),
      printsFiles: printsReports,
      isJson: options.json,
      onIncompleteProfile: () => undefined,
    };
    const hasGrown = await opened.reports.finish(node.inspector, output);
    return hasGrown ? EXIT_CODES.gasGrew : EXIT_CODES.success;
  }

  /** Lets those who use lanes finish, for as long as the options say. */
  async function drain(): Promise<void> {
    const open = lanes?.lanes.list().length ?? 0;
    if (lanes === null || options.drainTimeout === 0 || open === 0) return;
    if (!options.quiet)
      log.notice(
        `waiting up to ${options.drainTimeout} s for ${open} ${open === 1 ? 'lane' : 'lanes'} (--drain-timeout); press Ctrl-C again to exit immediately`,
      );
    await lanes.lanes.drain(IDLE_LANE, options.drainTimeout);
  }

  async function closeAll(isHurried: boolean): Promise<number> {
    preparation.cancel();
    await rehearsal.end();
    if (!isHurried) await drain();
    chain.stopSearching();
    lanes?.lanes.stopSearching();
    await server.close(isHurried ? 0 : undefined);
    await lanes?.lanes.close();
    await watch.close();
    try {
      return await finishReports();
    } finally {
      await node.inspector.artifacts.close();
      try {
        await saver?.close();
      } finally {
        await closeNode(opened);
      }
    }
  }

  let closed: Promise<number> | null = null;
  const close = (isHurried = false): Promise<number> => {
    closed ??= closeAll(isHurried);
    return closed;
  };

  const entryOf = (): StartEntry =>
    startEntry(
      {
        ...openedChain,
        accounts: opened.accounts,
        chain,
        fork: node.fork.current,
        savedTo: saver?.path ?? null,
        now: Math.floor(clock.now() / 1_000),
      },
      server.url,
    );

  async function writeConfig(): Promise<void> {
    if (options.configOut === null) return;
    const [apiKey = null] = options.apiKey;
    await writeConfigFile(options.configOut, entryOf(), apiKey, chain, host).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }

  async function announce(): Promise<void> {
    await writeConfig();
    if (closed !== null) return;
    if (!options.quiet) log.banner(entryOf());
    log.listening(server.url);
  }

  const { artifacts } = node.inspector;
  return {
    url: server.url,
    requestCount: () => requestCount,
    artifacts,
    writeConfig,
    announce,
    close,
    unsaved: () => saver?.unsaved() ?? null,
  };
}
