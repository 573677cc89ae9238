import type { Chain } from '../node/chain.ts';
import { Lanes } from '../node/lanes.ts';
import type { PeerTable } from '../node/peers/peer-table.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { systemRandom } from '../primitives/random.ts';
import type { RpcService } from '../rpc/connection.ts';
import type { LaneAccess } from '../rpc/rpc-context.ts';
import { healthOf } from '../server/health.ts';
import { defaultServerOptions } from '../server/options.ts';
import { startServer } from '../server/server.ts';
import { checkListenOptions } from './check-options.ts';
import type { ListenOptions, LocalServer } from './local-node.ts';

/** What a server on a chain in this process is made of. */
export interface ListeningParts {
  readonly chain: Chain;
  readonly peers: PeerTable;
  /** Makes the table of a lane. */
  readonly createPeers: () => PeerTable;
  /** A service for the chain and its lanes. */
  readonly serviceOf: (lanes: LaneAccess | null) => RpcService;
  /** Told of errors that are bugs of the node. */
  readonly onInternalError: (error: unknown) => void;
}

const LANE_LIMIT = 1_000;
const LANE_TIMEOUT = 3_600;

/** Serves a chain over HTTP and WebSocket. Rejects with a `ListenError`. */
export async function listen(
  { chain, peers, createPeers, serviceOf, onInternalError }: ListeningParts,
  options: ListenOptions,
): Promise<LocalServer> {
  checkListenOptions(options);
  const { port = 0, host = defaultServerOptions.host } = options;
  const { laneLimit: limit = LANE_LIMIT, laneTimeout: timeout = LANE_TIMEOUT } = options;
  const [clock, timers, random] = [systemClock, systemTimers, systemRandom];
  const lanes =
    options.lanes === true
      ? new Lanes({ base: chain, createPeers, clock, timers, random, limit, timeout })
      : null;
  const service = serviceOf(lanes === null ? null : { lanes, areKeysSecret: false });
  const hooks = { timers, peers, onInternalError, health: () => healthOf(chain, lanes) };
  const server = await startServer({ ...defaultServerOptions, host, port }, service, hooks);
  return {
    url: server.url,
    webSocketUrl: server.url.replace(/^http/, 'ws'),
    port: server.port,
    async close() {
      await server.close();
      await lanes?.close();
    },
  };
}
