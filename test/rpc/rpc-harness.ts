import type { Chain } from '../../src/chain/chain.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import type { Call, Connection, RpcService } from '../../src/rpc/connection.ts';
import type { LaneAccess } from '../../src/rpc/rpc-context.ts';
import { createRpcServiceFactory, type RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { countingRandom } from '../support/counting-random.ts';
import type { FakeTime } from '../support/fake-time.ts';
import { createTestChain, nodeOf } from '../support/test-chain.ts';
import { overTheWire } from './wire.ts';

/** A connection whose notifications and end the test controls. */
export interface TestConnection extends Connection {
  readonly sent: { readonly method: string; readonly params: unknown }[];
  /** Number of listeners for its end. */
  readonly listenerCount: number;
  close(): void;
}

export function testConnection(transport: Connection['transport'] = 'http'): TestConnection {
  const sent: TestConnection['sent'] = [];
  const actions = new Set<() => void>();
  let isClosed = false;
  return {
    transport,
    remoteAddress: '127.0.0.1',
    notify: transport === 'http' ? null : (method, params) => void sent.push({ method, params }),
    get isClosed() {
      return isClosed;
    },
    onClose: (action) => {
      actions.add(action);
      return () => actions.delete(action);
    },
    get listenerCount() {
      return actions.size;
    },
    sent,
    close: () => {
      isClosed = true;
      for (const action of actions) action();
      actions.clear();
    },
  };
}

/** Settings of a service that differ from the defaults of the service document. */
export interface TestServiceParts {
  readonly options?: Partial<RpcServiceOptions>;
  readonly lanes?: LaneAccess;
}

/** A service on a chain, with random ids that count up. */
export function testService(chain: Chain, time: FakeTime, parts: TestServiceParts = {}): RpcService {
  const { options = {}, lanes = null } = parts;
  return createRpcServiceFactory(
    { compat: 'service', version: '1.2.3', hosted: false, fieldNames: 'service', ...options },
    countingRandom(),
    time,
  )(nodeOf(chain), lanes);
}

/** Calls a service, over a new connection by default. Resolves to the result after JSON encoding. */
export function callerOf(service: RpcService, connect: () => Connection): RpcHarness['call'] {
  return async (method, params, connection = connect()) => {
    const token: Call = { method, connection, isLogged: true, isAnswered: false };
    const result = await service.call(method, params, connection, token);
    token.isAnswered = true;
    if (result === undefined) throw new TypeError(`${method} answered undefined`);
    return overTheWire(result);
  };
}

export interface RpcHarness {
  readonly chain: Chain;
  readonly time: FakeTime;
  /** The result of a call after JSON encoding. */
  call(method: string, params?: unknown, connection?: Connection): Promise<unknown>;
}

/** A service with the options on a chain, called over a new HTTP connection each time. */
export function harnessOn(
  chain: Chain,
  time: FakeTime,
  options: Partial<RpcServiceOptions> = {},
): RpcHarness {
  const call = callerOf(testService(chain, time, { options }), () => testConnection());
  return { chain, time, call };
}

/** A service with the options on a fresh chain with the chain options. */
export async function createRpcHarness(
  options: Partial<RpcServiceOptions> = {},
  chainOptions: Partial<ChainOptions> = {},
): Promise<RpcHarness> {
  const { chain, time } = await createTestChain(chainOptions);
  return harnessOn(chain, time, options);
}
