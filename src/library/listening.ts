import { watchChain } from '../log/chain-watch.ts';
import { createActivityLog } from '../log/entry-log.ts';
import { requestEntry } from '../log/log-entries.ts';
import type { ChainNode } from '../node/create-node.ts';
import type { LaneLimits, NodeLanes } from '../node/lanes.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { ActivityFeed } from '../rpc/activity.ts';
import type { RpcService } from '../rpc/connection.ts';
import type { LaneAccess } from '../rpc/rpc-context.ts';
import { healthOf } from '../server/get-requests.ts';
import { defaultServerOptions, type ServerHooks } from '../server/options.ts';
import { startServer } from '../server/server.ts';
import { checkListenOptions, type ListenOptions, type LocalServer } from './local-node.ts';

const LANE_LIMIT = 1_000;
const LANE_TIMEOUT = 3_600;

/** The parts of a node that a server needs. */
interface ServedParts {
  readonly serviceOf: (lanes: LaneAccess | null, activity: ActivityFeed) => RpcService;
  readonly openLanes: (limits: LaneLimits) => Promise<NodeLanes>;
  /** Gets errors that are bugs of the node. */
  readonly onInternalError: (error: unknown) => void;
}

/** Serves a node over HTTP and WebSocket. Rejects with a `ListenError`. */
export async function listen(
  node: ChainNode,
  { serviceOf, openLanes, onInternalError }: ServedParts,
  options: ListenOptions,
): Promise<LocalServer> {
  checkListenOptions(options);
  const { port = 0, host = defaultServerOptions.host } = options;
  const { laneLimit: limit = LANE_LIMIT, laneTimeout: timeout = LANE_TIMEOUT } = options;
  const [clock, timers] = [systemClock, systemTimers];
  const lanes = options.lanes === true ? await openLanes({ limit, timeout }) : null;
  const activity = new ActivityFeed();
  const service = serviceOf(lanes === null ? null : { lanes, areKeysSecret: false }, activity);
  const { chain, peers } = node;
  const watch = watchChain(node, createActivityLog(activity, clock, lanes !== null), timers, {
    reader: activity,
  });
  lanes?.onOpen((lane) =>
    watch.addLane({ key: lane.key, node: lane.node, name: lane.key, path: encodeURIComponent(lane.key) }),
  );
  const hooks: ServerHooks = {
    timers,
    clock,
    peers,
    onInternalError,
    onRequest: (report, call) => {
      if (activity.isWatched) watch.onRequest(requestEntry(report), call);
    },
    health: () => healthOf(chain, lanes),
  };
  const server = await startServer({ ...defaultServerOptions, host, port }, service, hooks);
  return {
    url: server.url,
    webSocketUrl: server.url.replace(/^http/, 'ws'),
    port: server.port,
    async close() {
      await server.close();
      await lanes?.close();
      await watch.close();
    },
  };
}
