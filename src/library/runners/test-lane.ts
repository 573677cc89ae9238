/** A chain of the run's node, for tests. */

import { BlockedPortError, isPortBlocked } from '../../fork/upstream/blocked-port.ts';
import { isRecord, LaneAnswerError, TestRunError } from './answers.ts';
import { localLane } from './local-nodes.ts';

/** A JSON-RPC call in the format of EIP-1193. */
export interface LaneCall {
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/**
 * A separate chain at its own URL. Clients use the URL (`http(lane.url)` in viem,
 * `new JsonRpcProvider(lane.url)` in ethers). It is also an EIP-1193 provider.
 */
export interface TestLane {
  /** `null` for the base chain. */
  readonly key: string | null;
  readonly url: string;
  readonly webSocketUrl: string;
  /**
   * Resolves to the result of a method. Rejects with an error with the JSON-RPC `code` and any `data`.
   *
   * @example
   * const number = await lane.request({ method: 'eth_blockNumber' });
   */
  request(call: LaneCall): Promise<unknown>;
  /**
   * Creates a lane as a copy of this one. Rejects if the key is in use.
   *
   * @example
   * const other = await lane.fork('liquidated');
   * await other.request({ method: 'evm_mine' });
   */
  fork(key: string): Promise<TestLane>;
  /** Removes the lane. Resolves to false if it does not exist. */
  drop(): Promise<boolean>;
}

/** Resolves to the results of the calls, in order. Rejects with a {@link TestRunError} without a response. */
export async function answersOf(url: string, calls: readonly LaneCall[]): Promise<unknown[]> {
  const local = localLane(url);
  if (local === null) return answersOverHttp(url, calls);
  const results: unknown[] = [];
  for (const { method, params = [] } of calls) results.push(await local(method, params));
  return results;
}

async function answersOverHttp(url: string, calls: readonly LaneCall[]): Promise<unknown[]> {
  const requests = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const answered: unknown = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests),
  })
    .then((response) => response.json())
    .catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = isPortBlocked(error) ? new BlockedPortError(new URL(url).port).message : String(cause);
      throw new TestRunError(`the test node does not respond at ${url}: ${reason}`);
    });
  const answers = Array.isArray(answered) ? answered.filter(isRecord) : [answered].filter(isRecord);
  return requests.map(({ id, method }) => {
    const answer = answers.find((each) => each.id === id) ?? answers[0];
    if (isRecord(answer?.error)) {
      const { code, message, data } = answer.error;
      throw new LaneAnswerError(Number(code), String(message), data);
    }
    if (answer === undefined || !('result' in answer))
      throw new TestRunError(
        `the server at ${url} is not a node-cli node: invalid JSON-RPC response to ${method}`,
      );
    return answer.result;
  });
}

/** Returns the lane with this key of the node at `base`; the base chain for `null`. Makes no request. */
export function laneAt(base: string, key: string | null): TestLane {
  const url = key === null ? base : `${base.replace(/\/+$/, '')}/${key}`;
  const request = async (call: LaneCall): Promise<unknown> => (await answersOf(url, [call]))[0];
  return {
    key,
    url,
    webSocketUrl: url.replace(/^http/, 'ws'),
    request,
    async fork(forkKey) {
      const from = key === null ? {} : { from: { lane: key } };
      await request({ method: 'lane_create', params: [{ key: forkKey, ...from }] });
      return laneAt(base, forkKey);
    },
    async drop() {
      return key !== null && (await request({ method: 'lane_drop', params: [key] })) === true;
    },
  };
}
