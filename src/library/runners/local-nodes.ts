/** The nodes of test runs in this process, by URL. */

import { isRecord, LaneAnswerError } from './answers.ts';

/** Calls a method on a lane of a node in this process; `null` for the base chain. */
export type LocalCall = (key: string | null, method: string, params: unknown) => unknown;

/** Global, because a process can load the plugin as an ES module and as CommonJS. */
interface RunnerGlobals {
  nodeCliLocalNodes?: Map<string, LocalCall>;
}

/** Returns the nodes by URL. */
export function localNodes(): Map<string, LocalCall> {
  const globals = globalThis as RunnerGlobals;
  globals.nodeCliLocalNodes ??= new Map();
  return globals.nodeCliLocalNodes;
}

/** Returns the function that calls the lane at a URL; `null` if its node is not in this process. */
export function localLane(url: string): ((method: string, params: unknown) => Promise<unknown>) | null {
  const nodes = localNodes();
  if (nodes.size === 0) return null;
  const slash = url.indexOf('/', url.indexOf('//') + 2);
  const call = nodes.get(slash < 0 ? url : url.slice(0, slash));
  if (call === undefined) return null;
  const key = slash < 0 || slash === url.length - 1 ? null : url.slice(slash + 1);
  // Not async: Node's test runner tracks each promise.
  return (method, params) => {
    try {
      return Promise.resolve(call(key, method, params)).catch(rejected);
    } catch (error) {
      return rejected(error);
    }
  };
}

function rejected(error: unknown): Promise<never> {
  return Promise.reject(asLaneError(error));
}

const INTERNAL_ERROR = -32603;

/** Returns an error of the node like an error over HTTP. In Jest, the node and the test have different globals. */
function asLaneError(error: unknown): LaneAnswerError {
  const { code = null, message = String(error), data } = isRecord(error) ? error : {};
  if (typeof code === 'number') return new LaneAnswerError(code, String(message), data);
  return new LaneAnswerError(INTERNAL_ERROR, `internal error: ${String(message)}`, undefined);
}
