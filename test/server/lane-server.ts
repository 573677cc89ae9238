import { onTestFinished } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { NodeLanes } from '../../src/node/lanes.ts';
import type { CompatChoice } from '../../src/rpc/compat.ts';
import { testService } from '../rpc/rpc-harness.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime, type FakeTime } from '../support/fake-time.ts';
import {
  createChainWith,
  nodeOf,
  TEST_DEFAULTS,
  TEST_START,
  testDependencies,
  testOwnChains,
} from '../support/test-chain.ts';
import { requestText, send, startTestServer, type TestServer } from './test-server.ts';

/** Options of a server with lanes. The default timeout is one hour. */
export interface LaneServerOptions {
  readonly limit?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly apiKeys?: readonly string[];
  readonly compat?: CompatChoice;
  readonly ruleSet?: ChainOptions['ruleSet'];
  readonly allowsSameTimestamp?: boolean;
  readonly chain?: Partial<ChainOptions>;
}

/** A server with lanes, and calls to it. */
export interface LaneServer {
  readonly server: TestServer;
  readonly base: Chain;
  readonly lanes: NodeLanes;
  readonly time: FakeTime;
  /** The errors of lanes that could not be closed. */
  readonly internalErrors: readonly unknown[];
  /** The result of a call on a path. Rejects with the message of the error. */
  call(path: string, method: string, params?: readonly unknown[]): Promise<unknown>;
}

/** Starts a server with lanes of a test chain. */
export async function startLaneServer(options: LaneServerOptions = {}): Promise<LaneServer> {
  const {
    limit = 100,
    timeout = 3_600,
    apiKeys = [],
    compat = 'service',
    ruleSet = TEST_DEFAULTS.ruleSet,
    allowsSameTimestamp = false,
    chain = {},
  } = options;
  const time = createFakeTime(TEST_START);
  // No own addresses, so that the address of this test can be banned.
  const ownAddresses = () => [];
  const base = await createChainWith(
    { ...TEST_DEFAULTS, ruleSet, allowsSameTimestamp, ...chain },
    { ...testDependencies(time), ownAddresses },
  );
  const internalErrors: unknown[] = [];
  const lanes = new NodeLanes(nodeOf(base), {
    ...time,
    random: countingRandom(),
    limit,
    timeout,
    openOwn: testOwnChains,
    onInternalError: (error) => internalErrors.push(error),
  });
  const access = { lanes, areKeysSecret: apiKeys.length > 0 };
  const service = testService(base, time, { lanes: access, options: { compat } });
  const server = await startTestServer({ apiKeys }, service);
  onTestFinished(() => lanes.close());
  return {
    server,
    base,
    lanes,
    time,
    internalErrors,
    async call(path, method, params = []) {
      const { json } = await send(server, requestText(method, params), { path });
      const { result, error } = json as { readonly result?: unknown; readonly error?: { message: string } };
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
  };
}
