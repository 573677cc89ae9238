/** Serves an open node over HTTP, WebSocket and IPC, with lanes, log and metrics. */

import { VERSION } from '../config/options.ts';
import { maskOf } from '../fork/upstream/mask-url.ts';
import { type ChainWatch, watchChain } from '../log/chain-watch.ts';
import { createActivityLog, joinedLog } from '../log/entry-log.ts';
import { requestEntry } from '../log/log-entries.ts';
import type { LogWriter } from '../log/log-writer.ts';
import { RejectionNotices } from '../log/rejection-notices.ts';
import { RevertCodeNotice } from '../log/revert-code-notice.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import { ActivityFeed, READS_EVERYTHING } from '../rpc/activity.ts';
import type { RpcService } from '../rpc/connection.ts';
import type { LaneAccess } from '../rpc/rpc-context.ts';
import { healthOf } from '../server/get-requests.ts';
import { type InProcessCall, inProcessCalls } from '../server/in-process-calls.ts';
import type { RunningIpcServer } from '../server/ipc/ipc-server.ts';
import type { Metrics } from '../server/metrics.ts';
import type { ServerHooks, ServerOptions } from '../server/options.ts';
import { startServer } from '../server/server.ts';
import type { ChainNode } from './create-node.ts';
import type { LaneLimits, NodeLanes } from './lanes.ts';

/** A node, and the functions that create its service and its lanes. */
export interface ServedParts {
  readonly node: ChainNode;
  readonly serviceOf: (lanes: LaneAccess | null, activity: ActivityFeed) => RpcService;
  readonly openLanes: (limits: LaneLimits) => Promise<NodeLanes>;
}

interface ServeOptions {
  readonly server: ServerOptions;
  /** The own port of the parent chain; absent or `null` for none. */
  readonly parentPort?: number | null;
  /** The IPC path, or `default`; absent or `null` for none. It serves the base chain. */
  readonly ipc?: string | null;
  /** The limits of lanes; `null` serves no lanes. */
  readonly lanes: Pick<LaneLimits, 'limit' | 'timeout'> | null;
  /** The printed log; `null` prints nothing. The explorer has its own log. */
  readonly log: LogWriter | null;
  /** True to print the console output of contracts. */
  readonly showsConsole?: boolean;
  /** True to print the call tree of each transaction. */
  readonly isVerbose?: boolean;
  /** True to serve metrics for Prometheus. */
  readonly servesMetrics?: boolean;
}

/** The clock, the timers and the callbacks of serving. */
interface ServeHost {
  readonly clock: WallClock;
  readonly timers: Timers;
  /** Gets an error that is a bug of the node. */
  readonly onInternalError: (error: unknown) => void;
  /** Called with each JSON-RPC call that was answered. */
  readonly onCall?: () => void;
}

interface ServedNode {
  readonly url: string;
  readonly port: number;
  /** The URL of the parent chain's own port; `null` without one. */
  readonly parentUrl: string | null;
  /** The path of the IPC socket; `null` without one. */
  readonly ipcPath: string | null;
  /** Calls the served node in this process. */
  readonly call: InProcessCall;
  /** Lets the process exit while the node is served. */
  unref(): void;
  /** `null` if no lanes are served. */
  readonly lanes: NodeLanes | null;
  /**
   * Waits up to `gracePeriod` milliseconds (default: the server's option) for pending requests. Then closes
   * connections, lanes and log. The node stays open.
   */
  close(gracePeriod?: number): Promise<void>;
}

/** Returns the names of lanes in the log: their keys, or numbers if the keys are secret API keys. */
function laneNames(apiKeys: readonly string[]): (key: string) => string {
  return (key) => (apiKeys.length === 0 ? key : `of API key ${apiKeys.indexOf(key) + 1}`);
}

/** Serves a node. Rejects with a `ListenError` or an `IpcPathError`; lanes and log are closed then. */
export async function serveNode(
  { node, serviceOf, openLanes }: ServedParts,
  options: ServeOptions,
  host: ServeHost,
): Promise<ServedNode> {
  const { clock, timers } = host;
  const { apiKeys } = options.server;
  const areKeysSecret = apiKeys.length > 0;
  const nameOf = laneNames(apiKeys);
  const lanes = options.lanes === null ? null : await openLanes({ ...options.lanes, nameOf });
  const activity = new ActivityFeed(nameOf);
  const service = serviceOf(lanes && { lanes, areKeysSecret }, activity);
  const watch = watchNode(node, activity, lanes !== null, options, host);
  lanes?.onOpen((lane) => {
    const path = areKeysSecret ? null : encodeURIComponent(lane.key);
    return watch.addLane({ key: lane.key, node: lane.node, name: nameOf(lane.key), path });
  });
  const metrics = options.servesMetrics === true ? await openMetrics(node, lanes, clock.now() / 1_000) : null;
  const refusals = new RejectionNotices((notice) => watch.onNotice(notice));
  // The notice names an option of the command line, and the log prints it.
  const revertCodes = options.log === null ? null : new RevertCodeNotice((notice) => watch.onNotice(notice));
  const reader = options.log === null ? activity : READS_EVERYTHING;
  const hooks: ServerHooks = {
    timers,
    clock,
    peers: node.peers,
    onInternalError: host.onInternalError,
    onRequest: (report, call) => {
      host.onCall?.();
      metrics?.count(report);
      if (reader.isWatched) watch.onRequest(requestEntry(report), call);
      if (report.error !== undefined && call.connection.isQuiet !== true) revertCodes?.onError(report.error);
    },
    onRejected: (refusal, caller) => refusals.tell(refusal, caller),
    onInvalidMessage: ({ remoteAddress }, error) => refusals.tell(error, { address: remoteAddress }),
    health: () => healthOf(node.chain, lanes),
    rejectsLane: (key) => lanes?.refuses(key) === true,
    ...(metrics && { metrics: () => metrics.text() }),
  };
  const closeRest = async (): Promise<void> => {
    await lanes?.close();
    await watch.close();
  };
  const { parentPort = null, ipc = null } = options;
  const opened: { close(gracePeriod?: number): Promise<void> }[] = [];
  /** Starts a server. If that fails, closes the earlier servers and the rest. */
  async function open<Server extends (typeof opened)[number]>(starting: Promise<Server>): Promise<Server> {
    try {
      const started = await starting;
      opened.push(started);
      return started;
    } catch (error) {
      await Promise.all(opened.map((earlier) => earlier.close(0)));
      await closeRest();
      throw error;
    }
  }
  const server = await open(startServer(options.server, service, hooks));
  const parentOptions = parentPort === null ? null : { ...options.server, port: parentPort };
  const parentServer =
    parentOptions && (await open(startServer({ ...parentOptions, servesOnlyParent: true }, service, hooks)));
  const ipcServer = ipc === null ? null : await open(startIpc(ipc, options.server, service, hooks));
  const { port } = server;
  const stopServing = node.served.add({ host: options.server.host, port });
  return {
    url: server.url,
    port,
    parentUrl: parentServer?.url ?? null,
    ipcPath: ipcServer?.path ?? null,
    call: inProcessCalls(service, hooks),
    unref: () => server.unref(),
    lanes,
    async close(gracePeriod) {
      await Promise.all(opened.map((running) => running.close(gracePeriod)));
      stopServing();
      await closeRest();
    },
  };
}

/** Loads the code of IPC only if it is used. */
async function startIpc(
  path: string,
  options: ServerOptions,
  service: RpcService,
  hooks: ServerHooks,
): Promise<RunningIpcServer> {
  const { startIpcServer } = await import('../server/ipc/ipc-server.ts');
  return startIpcServer(path, options, service, hooks);
}

/** Writes the changes of a node to the printed log and to the activity of the explorer. */
function watchNode(
  node: ChainNode,
  activity: ActivityFeed,
  hasLanes: boolean,
  { server: { apiKeys }, log, showsConsole = true, isVerbose = false }: ServeOptions,
  { clock, timers }: ServeHost,
): ChainWatch {
  const activityLog = createActivityLog(activity, clock, hasLanes && apiKeys.length === 0);
  return watchChain(node, log === null ? activityLog : joinedLog(log, activityLog, activity), timers, {
    showsConsole,
    isVerbose,
    reader: log === null ? activity : READS_EVERYTHING,
    mask: maskOf(apiKeys),
    ...(apiKeys.length > 1 && { ownerName: laneNames(apiKeys) }),
  });
}

/** Counts the calls and the blocks of a node and its lanes. `startedAt` is in seconds since 1970. */
async function openMetrics(
  { chain }: ChainNode,
  lanes: NodeLanes | null,
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
