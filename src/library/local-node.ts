import type { LocalOptions } from '../config/local-options.ts';
import { describeValue } from '../rpc/codecs/codec.ts';
import { InvalidParamsError } from '../rpc/errors.ts';

/**
 * The options of `createNode`: those of the command line that say what the chain is, by their camel-case names and in
 * their units.
 */
export type LocalNodeOptions = LocalOptions;

/** A JSON-RPC call as EIP-1193 has it. */
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
  /** Hexadecimal, as `eth_chainId` answers it. */
  readonly chainId: string;
}

/** An error with a code, as EIP-1193 has it. */
export interface ProviderRpcError extends Error {
  readonly code: number;
}

/** A text that a contract wrote with `console.log`. */
export interface ConsoleLog {
  /** The address of the contract, hexadecimal in lower case. */
  readonly contract: string;
  readonly text: string;
  /** The hash of the transaction that ran the code; `null` for an `eth_call`. */
  readonly transactionHash: string | null;
}

/** The events of a node, and the value that a listener gets with each. */
export interface LocalNodeEvents {
  readonly connect: ProviderConnectInfo;
  readonly disconnect: ProviderRpcError;
  /** The chain id in hexadecimal. */
  readonly chainChanged: string;
  /** The accounts that `eth_accounts` answers. */
  readonly accountsChanged: readonly string[];
  readonly message: ProviderMessage;
  readonly consoleLog: ConsoleLog;
}

/** Called with the value of an event. */
export type LocalNodeListener<Event extends keyof LocalNodeEvents> = (detail: LocalNodeEvents[Event]) => void;

/** A moment of a node's chain. */
export interface LocalSnapshot {
  /**
   * Returns the chain to that moment, any number of times. Rejects once the snapshot is released, or the chain has gone
   * back to before it (by an earlier snapshot or a reset).
   *
   * @example
   * const snapshot = await node.snapshot();
   * await node.request({ method: 'evm_mine' });
   * await snapshot.revert();
   */
  revert(): Promise<void>;
  /**
   * Returns a node of its own that begins at that moment. Rejects as {@link revert} does.
   *
   * @example
   * const snapshot = await node.snapshot();
   * const other = await snapshot.fork();
   * await other.close();
   */
  fork(): Promise<LocalNode>;
  /**
   * Releases the memory of the snapshot, as closing the node does; forks of it continue.
   *
   * @example
   * const snapshot = await node.snapshot();
   * await snapshot.release();
   */
  release(): Promise<void>;
}

/** The point at which a fork begins. */
export interface ForkOptions {
  /** The number of its head block; by default it is as the chain is now. */
  readonly block?: number | bigint | undefined;
}

/** The address at which a node listens, and how it serves. */
export interface ListenOptions {
  /** The TCP port; a free one by default. */
  readonly port?: number | undefined;
  /** The address, `127.0.0.1` by default. Every program that can reach it can use the unlocked accounts. */
  readonly host?: string | undefined;
  /** True to serve a chain of its own on every path, as `--lanes` does. */
  readonly lanes?: boolean | undefined;
  /** The most lanes at a time; 1000 by default. */
  readonly laneLimit?: number | undefined;
  /** Seconds after which a lane without calls is removed; 3600 by default, 0 for never. */
  readonly laneTimeout?: number | undefined;
}

/** A server on a node's chain. */
export interface LocalServer {
  /** The URL over HTTP: `http://127.0.0.1:8545`. */
  readonly url: string;
  /** The URL over WebSocket. */
  readonly webSocketUrl: string;
  readonly port: number;
  /**
   * Answers the requests under way, then stops listening; the node continues.
   *
   * @example
   * const server = await node.listen();
   * await server.close();
   */
  close(): Promise<void>;
}

/** A node in this process: an EIP-1193 provider that needs no socket. */
export interface LocalNode {
  /**
   * Resolves to the result of a method. Rejects with an error that has the JSON-RPC `code`, and `data` where there is
   * some; with code 4900 once the node is closed.
   *
   * @example
   * const number = await node.request({ method: 'eth_blockNumber' });
   * const [from, to] = await node.request({ method: 'eth_accounts' });
   * await node.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] });
   */
  request(call: RequestArguments): Promise<unknown>;
  /**
   * Calls `listener` at each event of that name:
   *
   * - `message`: an item of a subscription of this node.
   * - `consoleLog`: a text that a contract wrote with `console.log`, in a mined transaction (a reverted one too) or in an
   *   `eth_call`.
   * - `connect`: once, after the code that runs now, with the chain id.
   * - `disconnect`: at the end of {@link close}, with an error of code 4900.
   * - `chainChanged`, `accountsChanged`: another chain id, other accounts, before the call that changed them is answered.
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
   * Returns a node of its own that begins as this one is now, or as it was after a block. It takes microseconds, however
   * large the chain is; the caller closes it.
   *
   * @example
   * const other = await node.fork({ block: 0 });
   * await other.request({ method: 'evm_mine' });
   * await other.close();
   */
  fork(options?: ForkOptions): Promise<LocalNode>;
  /**
   * Keeps the chain as it is now, in memory and for the caller alone: `evm_listSnapshots` does not list it.
   *
   * @example
   * const snapshot = await node.snapshot();
   * await node.request({ method: 'evm_mine' });
   * await snapshot.revert();
   */
  snapshot(): Promise<LocalSnapshot>;
  /**
   * Serves the chain over HTTP and WebSocket. Rejects with a `ListenError` when it cannot listen there.
   *
   * @example
   * const server = await node.listen({ port: 0, lanes: true });
   * console.log(server.url);
   * await server.close();
   */
  listen(options?: ListenOptions): Promise<LocalServer>;
  /**
   * Answers the requests under way, then ends servers, subscriptions and mining. Forks of the node continue, and fetch what
   * they need if the chain is itself a fork of another node's; forks of a chain in a directory can no longer read its
   * blocks and states.
   *
   * @example
   * const other = await node.fork();
   * await other.close();
   */
  close(): Promise<void>;
}

/** The requirement for a value: a test, and its description in words. */
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
  lanes: [(value) => typeof value === 'boolean', 'true or false'],
  laneLimit: [(value) => isWhole(value, 1), 'a whole number of at least 1'],
  laneTimeout: [
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    'a non-negative number of seconds',
  ],
};

/** Throws {@link InvalidParamsError} unless all `options` are known and valid; `undefined` counts as absent. */
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

/** Checks options of callers in JavaScript, too. Throws {@link InvalidParamsError}. */
export function checkForkOptions(options: ForkOptions): void {
  check(options, FORK_REQUIREMENTS);
}

/** Checks options of callers in JavaScript, too. Throws {@link InvalidParamsError}. */
export function checkListenOptions(options: ListenOptions): void {
  check(options, LISTEN_REQUIREMENTS);
}
