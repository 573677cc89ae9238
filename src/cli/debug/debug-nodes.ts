/** The node of a debugger: the node of this process, or a running node at `--url`. */

import { NodeClient } from '../node-client.ts';
import { DebugError } from './debug-error.ts';
import type { DebugNodes } from './targets.ts';

/** Returns the node at a URL, with its lanes. The node does not log the requests of a debugger. */
export function debugNodesAt(url: string): DebugNodes {
  return {
    base: new NodeClient(url, true),
    lane(key) {
      const lane = new URL(url);
      if (lane.pathname !== '/')
        throw new DebugError(
          'lane: the URL of the node already contains a lane or an API key; remove lane, or pass the URL of the base chain',
        );
      lane.pathname = `/${encodeURIComponent(key)}`;
      return new NodeClient(lane.href, true);
    },
  };
}
