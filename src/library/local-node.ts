import type { LocalOptions } from '../config/local-options.ts';
import { describeValue } from '../rpc/codecs/codec.ts';
import { InvalidParamsError } from '../rpc/errors.ts';

/**
 * The options of `createNode`: the options of the command line for the chain, in camel case and with the same
 * units.
 */
export type LocalNodeOptions = LocalOptions;

/** A JSON-RPC call in the format of EIP-1193. */
export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/** An item of a subscription (EIP-1193). */
export interface ProviderMessage {
  readonly type: 'eth_subscription';
  readonly data: unknown;
}

/** The chain that a node is connected to (EIP-1193). */
export interface ProviderConnectInfo {
  /** Hexadecimal, as in `eth_chainId`. */
  readonly chainId: string;
}

/** An error with a code (EIP-1193). */
export interface ProviderRpcError extends Error {
  readonly code: number;
}

/** A line that a contract printed with `console.log`. */
export interface ConsoleLog {
  /** The address of the contract, in lower-case hexadecimal. */
  readonly contract: string;
  readonly text: string;
  /** The hash of the transaction that ran the code; `null` for an `eth_call`. */
  readonly transactionHash: string | null;
}

/** The events of a node, and the argument of their listeners. */
export interface LocalNodeEvents {
  readonly connect: ProviderConnectInfo;
  readonly disconnect: ProviderRpcError;
  /** The chain id in hexadecimal. */
  readonly chainChanged: string;
  /** The accounts of `eth_accounts`. */
  readonly accountsChanged: readonly string[];
  readonly message: ProviderMessage;
  readonly consoleLog: ConsoleLog;
}

export type LocalNodeListener<Event extends keyof LocalNodeEvents> = (detail: LocalNodeEvents[Event]) => void;

/** A snapshot of a node's chain. */
export interface LocalSnapshot {
  /**
   * Reverts the chain to the snapshot, any number of times. Rejects if the snapshot was released, or if the
   * chain was reset or reverted to an earlier snapshot.
   *
   * @example
   * const snapshot = await node.snapshot();
   * await node.request({ method: 'evm_mine' });
   * await snapshot.revert();
   */
  revert(): Promise<void>;
  /**
   * Returns a separate node that starts from the snapshot. Rejects like {@link revert}.
   *
   * @example
   * const snapshot = await node.snapshot();
   * const other = await snapshot.fork();
   * await other.close();
   */
  fork(): Promise<LocalNode>;
  /**
   * Releases the memory of the snapshot. Closing the node also does this. Forks of the snapshot continue.
   *
   * @example
   * const snapshot = await node.snapshot();
   * await snapshot.release();
   */
  release(): Promise<void>;
}

/** The start of a fork. */
export interface ForkOptions {
  /** The number of its first head block; by default the latest block. */
  readonly block?: number | bigint | undefined;
}

/** The address and the options of a server. */
export interface ListenOptions {
  /** The TCP port; by default any free port. */
  readonly port?: number | undefined;
  /** The address, `127.0.0.1` by default. Every program that can reach it can use the unlocked accounts. */
  readonly host?: string | undefined;
  /**
   * Also serves the chain on an IPC socket at this path, or on a pipe on Windows. True selects the default path of
   * `--ipc`.
   */
  readonly ipc?: boolean | string | undefined;
  /** True to serve a separate chain on every path, like `--lanes`. */
  readonly lanes?: boolean | undefined;
  /** The maximum number of lanes; 1000 by default. */
  readonly laneLimit?: number | undefined;
  /** Seconds until a lane without calls is removed; 3600 by default, 0 for never. */
  readonly laneTimeout?: number | undefined;
}

/** A server for a node's chain. */
export interface LocalServer {
  /** The HTTP URL, such as `http://127.0.0.1:8545`. */
  readonly url: string;
  /** The WebSocket URL. */
  readonly webSocketUrl: string;
  readonly port: number;
  /** The path of the IPC socket; `null` without `ipc`. */
  readonly ipcPath: string | null;
  /**
   * Answers pending requests, then stops listening. The node continues.
   *
   * @example
   * const server = await node.listen();
   * await server.close();
   */
  close(): Promise<void>;
}

/** A node in this process: an EIP-1193 provider without a socket. */
export interface LocalNode {
  /**
   * Resolves to the result of a method. Rejects with an error with the JSON-RPC `code` and any `data`. On a
   * closed node, the code is 4900.
   *
   * @example
   * const number = await node.request({ method: 'eth_blockNumber' });
   * const [from, to] = await node.request({ method: 'eth_accounts' });
   * await node.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] });
   */
  request(call: RequestArguments): Promise<unknown>;
  /**
   * Calls `listener` at each event of this name:
   *
   * - `message`: an item of a subscription of this node.
   * - `consoleLog`: a `console.log` line of a contract, in a mined transaction (even if reverted) or an
   *   `eth_call`.
   * - `connect`: once, after the current code, with the chain id.
   * - `disconnect`: at the end of {@link close}, with an error of code 4900.
   * - `chainChanged`, `accountsChanged`: a new chain id or new accounts, before the response to the call that
   *   changed them.
   *
   * An error that a listener throws becomes an unhandled error; the chain continues.
   *
   * @example
   * node.on('consoleLog', ({ contract, text }) => console.log(contract, text));
   * node.on('message', ({ data }) => console.log(data));
   * await node.request({ method: 'eth_subscribe', params: ['newHeads'] });
   */
  on<Event extends keyof LocalNodeEvents>(event: Event, listener: LocalNodeListener<Event>): LocalNode;
  /**
   * Removes a listener that {@link on} added.
   *
   * @example
   * const listener = (accounts) => console.log(accounts);
   * node.on('accountsChanged', listener);
   * node.removeListener('accountsChanged', listener);
   */
  removeListener<Event extends keyof LocalNodeEvents>(
    event: Event,
    listener: LocalNodeListener<Event>,
  ): LocalNode;
  /**
   * Returns a separate node that starts from the present chain or from an earlier block. It takes
   * microseconds for any size of the chain. Close it after use.
   *
   * @example
   * const other = await node.fork({ block: 0 });
   * await other.request({ method: 'evm_mine' });
   * await other.close();
   */
  fork(options?: ForkOptions): Promise<LocalNode>;
  /**
   * Takes a snapshot of the chain in memory. `evm_listSnapshots` does not list it.
   *
   * @example
   * const snapshot = await node.snapshot();
   * await node.request({ method: 'evm_mine' });
   * await snapshot.revert();
   */
  snapshot(): Promise<LocalSnapshot>;
  /**
   * Serves the chain over HTTP and WebSocket, and optionally over IPC. Rejects with a `ListenError` or an
   * `IpcPathError` if it cannot listen.
   *
   * @example
   * const server = await node.listen({ port: 0, lanes: true });
   * console.log(server.url);
   * await server.close();
   */
  listen(options?: ListenOptions): Promise<LocalServer>;
  /**
   * Answers pending requests, then closes servers, subscriptions and mining. Forks of the node continue. If
   * this node forks a fork URL, they continue to fetch its state. If its chain is in a directory, forks can
   * no longer read its blocks and states.
   *
   * @example
   * const other = await node.fork();
   * await other.close();
   */
  close(): Promise<void>;
}

/** A test of a value, and the expected form for errors. */
type Requirement = readonly [isMet: (value: unknown) => boolean, expected: string];

const LAST_PORT = 65_535;

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

const FORK_REQUIREMENTS: Readonly<Record<keyof ForkOptions, Requirement>> = {
  block: [
    (value) => Number.isSafeInteger(typeof value === 'bigint' ? Number(value) : value),
    'a block number',
  ],
};

const LISTEN_REQUIREMENTS: Readonly<Record<keyof ListenOptions, Requirement>> = {
  port: [(value) => isWhole(value, 0, LAST_PORT), `a whole number from 0 to ${LAST_PORT}`],
  host: [(value) => typeof value === 'string' && value !== '', 'a host name or an address of this machine'],
  ipc: [
    (value) => typeof value === 'boolean' || (typeof value === 'string' && value !== ''),
    'true, false or a path',
  ],
  lanes: [(value) => typeof value === 'boolean', 'true or false'],
  laneLimit: [(value) => isWhole(value, 1), 'a whole number of at least 1'],
  laneTimeout: [
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    'a non-negative number of seconds',
  ],
};

/** Throws {@link InvalidParamsError} for an unknown or invalid option. `undefined` counts as absent. */
function check(options: unknown, requirements: Readonly<Record<string, Requirement>>): void {
  const names = Object.keys(requirements).join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InvalidParamsError('options', `an object with ${names}`, describeValue(options));
  for (const [name, value] of Object.entries(options)) {
    const requirement = Object.hasOwn(requirements, name) ? requirements[name] : undefined;
    const [isMet, expected] = requirement ?? [() => false, `only ${names}`];
    if (value !== undefined && !isMet(value))
      throw new InvalidParamsError(name, expected, describeValue(value));
  }
}

/** JavaScript clients can pass any value. Throws {@link InvalidParamsError}. */
export function checkForkOptions(options: ForkOptions): void {
  check(options, FORK_REQUIREMENTS);
}

/** JavaScript clients can pass any value. Throws {@link InvalidParamsError}. */
export function checkListenOptions(options: ListenOptions): void {
  check(options, LISTEN_REQUIREMENTS);
}
