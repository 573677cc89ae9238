import type { Chain } from '../../src/node/chain.ts';
import type { ChainOptions } from '../../src/node/chain-options.ts';
import type { Connection } from '../../src/rpc/connection.ts';
import { createRpcService, type RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { createTestChain } from '../support/test-chain.ts';

/** A connection whose notifications and end are in the test's hands. */
export interface TestConnection extends Connection {
  readonly sent: { readonly method: string; readonly params: unknown }[];
  close(): void;
}

/** A connection over that transport. */
export function testConnection(transport: Connection['transport'] = 'http'): TestConnection {
  const sent: TestConnection['sent'] = [];
  const actions: (() => void)[] = [];
  return {
    transport,
    remoteAddress: '127.0.0.1',
    notify: transport === 'http' ? null : (method, params) => void sent.push({ method, params }),
    onClose: (action) => void actions.push(action),
    sent,
    close: () => {
      for (const action of actions.splice(0)) action();
    },
  };
}

/** A service on a fresh test chain. */
export interface RpcHarness {
  readonly chain: Chain;
  /** The result of a call as it arrives at the other end of the wire. */
  call(method: string, params?: unknown, connection?: Connection): Promise<unknown>;
}

/** Bytes that count up: random enough to tell ids apart, and the same each time. */
export function countingRandom(): (length: number) => Uint8Array {
  let calls = 0;
  return (length) => new Uint8Array(length).fill(++calls);
}

/** A service with the options on a fresh chain with the chain options. */
export async function createRpcHarness(
  options: Partial<RpcServiceOptions> = {},
  chainOptions: Partial<ChainOptions> = {},
): Promise<RpcHarness> {
  const { chain } = await createTestChain(chainOptions);
  const service = createRpcService(
    chain,
    { compat: 'service', version: '1.2.3', hosted: false, fieldNames: 'service', ...options },
    countingRandom(),
  );
  return {
    chain,
    async call(method, params, connection = testConnection()) {
      const result = await service.call(method, params, connection);
      if (result === undefined) throw new TypeError(`${method} answered undefined`);
      return JSON.parse(JSON.stringify(result));
    },
  };
}
