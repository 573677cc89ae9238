/** The node of a debugger: the node of this process, or a running node at `--url`. */

import { NodeClient } from '../node-client.ts';
import { DebugError } from './debug-error.ts';
import type { DebugNode } from './execution.ts';
import { NodeSocket } from './node-socket.ts';
import type { DebugNodes } from './targets.ts';

function nodeAt(url: string): DebugNode {
  const client = new NodeClient(url, true);
  return {
    name: client.name,
    ask: (method, params) => client.ask(method, params),
    connect: (events) => new NodeSocket(url, events),
  };
}

/** Returns the node at a URL, with its lanes. The node does not log the requests of a debugger. */
export function debugNodesAt(url: string): DebugNodes {
  const below = (argument: string, segment: string): DebugNode => {
    const address = new URL(url);
    const path = `/${encodeURIComponent(segment)}`;
    if (address.pathname !== '/' && address.pathname !== path)
      throw new DebugError(
        `${argument}: the URL of the node already contains a lane or an API key; remove ${argument}, or pass the URL without a path`,
      );
    address.pathname = path;
    return nodeAt(address.href);
  };
  return {
    base: nodeAt(url),
    lane: (key) => below('lane', key),
    key: (key) => below('key', key),
  };
}
