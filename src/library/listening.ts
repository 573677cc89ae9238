import type { OpenOwnChain } from '../config/forking.ts';
import { watchChain } from '../log/chain-watch.ts';
import { createActivityLog } from '../log/entry-log.ts';
import { requestEntry } from '../log/log-entries.ts';
import type { ChainNode } from '../node/create-node.ts';
import { NodeLanes } from '../node/lanes.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { systemRandom } from '../primitives/random.ts';
import { ActivityFeed } from '../rpc/activity.ts';
import type { RpcService } from '../rpc/connection.ts';
import type { LaneAccess } from '../rpc/rpc-context.ts';
import { healthOf } from '../server/get-requests.ts';
import { defaultServerOptions, type ServerHooks } from '../server/options.ts';
import { startServer } from '../server/server.ts';
import { checkListenOptions, type ListenOptions, type LocalServer } from './local-node.ts';

const LANE_LIMIT = 1_000;
const LANE_TIMEOUT = 3_600;

/**
 * Serves a node over HTTP and WebSocket. `serviceOf` makes the service for it and its lanes; `onInternalError` is called with
 * errors that are bugs of the node, `openOwn` makes the settings of lanes that are chains of their own. Rejects with a `ListenError`.
 */
export async function listen(
  node: ChainNode,
  serviceOf: (lanes: LaneAccess | null, activity: ActivityFeed) => RpcService,
  onInternalError: (error: unknown) => void,
  openOwn: OpenOwnChain,
  options: ListenOptions,
): Promise<LocalServer> {
  checkListenOptions(options);
  const { port = 0, host = defaultServerOptions.host } = options;
  const { laneLimit: limit = LANE_LIMIT, laneTimeout: timeout = LANE_TIMEOUT } = options;
  const [clock, timers, random] = [systemClock, systemTimers, systemRandom];
  const lanes =
    options.lanes === true
      ? new NodeLanes(node, { clock, timers, random, limit, timeout, openOwn, onInternalError })
      : null;
  const activity = new ActivityFeed();
  const service = serviceOf(lanes === null ? null : { lanes, areKeysSecret: false }, activity);
  const { chain, peers } = node;
  const watch = watchChain(node, createActivityLog(activity, clock), timers, { reader: activity });
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
