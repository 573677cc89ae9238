import { chainOptionsOf, devAccountsOf } from './cli/node-settings.ts';
import { defaultOptions } from './cli/option-values.ts';
import type { NodeOptions } from './cli/options.ts';
import { VERSION } from './cli/version.ts';
import { createChain } from './node/create-chain.ts';
import { machineAddresses } from './node/peers/machine-addresses.ts';
import { PeerTable } from './node/peers/peer-table.ts';
import { systemClock, systemTimers } from './primitives/clock.ts';
import { systemRandom } from './primitives/random.ts';
import type { Connection } from './rpc/connection.ts';
import { createRpcService } from './rpc/rpc-service.ts';

/** The options of a node in this process: those of the command line that say what the chain is, by the same names. */
export type LocalNodeOptions = Partial<
  Pick<
    NodeOptions,
    | 'accounts'
    | 'balance'
    | 'mnemonic'
    | 'derivationPath'
    | 'devAccounts'
    | 'chainId'
    | 'networkId'
    | 'hardfork'
    | 'timestamp'
    | 'gasLimit'
    | 'minGasPrice'
    | 'gasPrice'
    | 'codeSizeLimit'
    | 'disableCodeSizeLimit'
    | 'coinbase'
    | 'blockTime'
    | 'mixedMining'
    | 'noMining'
    | 'order'
    | 'compat'
    | 'fieldNames'
  >
>;

/** A JSON-RPC call as EIP-1193 has it. */
export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/** What a subscription brings, as EIP-1193 has it. */
export interface ProviderMessage {
  readonly type: 'eth_subscription';
  readonly data: unknown;
}

/** A node in this process: an EIP-1193 provider without any socket. */
export interface LocalNode {
  /** The result of a method. Rejects with an error that has the JSON-RPC `code`, and `data` where there is some. */
  request(call: RequestArguments): Promise<unknown>;
  /** Calls `listener` with each item of this node's subscriptions. */
  on(event: 'message', listener: (message: ProviderMessage) => void): LocalNode;
  /** Ends what {@link on} began. */
  removeListener(event: 'message', listener: (message: ProviderMessage) => void): LocalNode;
  /** Ends subscriptions and mining. */
  close(): Promise<void>;
}

/** Starts a chain in this process. Rejects when an option has no sensible value. */
export async function createNode(options: LocalNodeOptions = {}): Promise<LocalNode> {
  const settings: NodeOptions = { ...defaultOptions(), ...options };
  const chain = await createChain(chainOptionsOf(settings, await devAccountsOf(settings)), {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    // With no caller to tell, a failing timer must not pass unseen: it ends as any unhandled error does.
    onMiningError(error) {
      queueMicrotask(() => {
        throw error;
      });
    },
  });
  const { compat, hosted, fieldNames } = settings;
  const service = createRpcService(
    chain,
    { compat, hosted, fieldNames, version: VERSION },
    systemRandom,
    new PeerTable(machineAddresses),
  );
  const listeners = new Set<(message: ProviderMessage) => void>();
  const closing: (() => void)[] = [];
  const connection: Connection = {
    transport: 'in-process',
    remoteAddress: 'in-process',
    notify(_method, params) {
      for (const listener of listeners) listener({ type: 'eth_subscription', data: params });
    },
    onClose: (action) => void closing.push(action),
  };
  const node: LocalNode = {
    request: ({ method, params }) => service.call(method, params, connection),
    on(_event, listener) {
      listeners.add(listener);
      return node;
    },
    removeListener(_event, listener) {
      listeners.delete(listener);
      return node;
    },
    async close() {
      for (const action of closing.splice(0)) action();
      await chain.close();
    },
  };
  return node;
}
