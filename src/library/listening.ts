import { type ServedParts, serveNode } from '../node/serve-node.ts';
import { systemClock, systemTimers } from '../primitives/clock.ts';
import { defaultServerOptions } from '../server/options.ts';
import { checkListenOptions, type ListenOptions, type LocalServer } from './local-node.ts';

const LANE_LIMIT = 1_000;
const LANE_TIMEOUT = 3_600;

/** Serves a node. `onInternalError` receives bugs. Rejects with a `ListenError` or an `IpcPathError`. */
export async function listen(
  parts: ServedParts,
  onInternalError: (error: unknown) => void,
  options: ListenOptions,
): Promise<LocalServer> {
  checkListenOptions(options);
  const { port = 0, host = defaultServerOptions.host, ipc = false } = options;
  const { laneLimit: limit = LANE_LIMIT, laneTimeout: timeout = LANE_TIMEOUT } = options;
  const served = await serveNode(
    parts,
    {
      server: { ...defaultServerOptions, host, port },
      ipc: typeof ipc === 'string' ? ipc : ipc ? 'default' : null,
      lanes: options.lanes === true ? { limit, timeout } : null,
      log: null,
    },
    { clock: systemClock, timers: systemTimers, onInternalError },
  );
  return {
    url: served.url,
    webSocketUrl: served.url.replace(/^http/, 'ws'),
    port: served.port,
    ipcPath: served.ipcPath,
    close: () => served.close(),
  };
}
