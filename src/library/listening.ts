import { type ServedParts, serveNode } from '../node/serve-node.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { defaultServerOptions } from '../server/options.ts';
import { checkListenOptions, type ListenOptions, type LocalServer } from './local-node.ts';

const LANE_LIMIT = 1_000;
const LANE_TIMEOUT = 3_600;

/** Serves a node over HTTP and WebSocket. `onInternalError` receives bugs. Rejects with a `ListenError`. */
export async function listen(
  parts: ServedParts,
  onInternalError: (error: unknown) => void,
  options: ListenOptions,
): Promise<LocalServer> {
  checkListenOptions(options);
  const { port = 0, host = defaultServerOptions.host } = options;
  const { laneLimit: limit = LANE_LIMIT, laneTimeout: timeout = LANE_TIMEOUT } = options;
  const served = await serveNode(
    parts,
    {
      server: { ...defaultServerOptions, host, port },
      lanes: options.lanes === true ? { limit, timeout } : null,
      log: null,
    },
    { clock: systemClock, timers: systemTimers, onInternalError },
  );
  return {
    url: served.url,
    webSocketUrl: served.url.replace(/^http/, 'ws'),
    port: served.port,
    close: () => served.close(),
  };
}
