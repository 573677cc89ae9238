import type { LocalOptions } from '../config/local-options.ts';

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

/** What a subscription brings, as EIP-1193 has it. */
export interface ProviderMessage {
  readonly type: 'eth_subscription';
  readonly data: unknown;
}

/** What a node is connected to, as EIP-1193 has it. */
export interface ProviderConnectInfo {
  /** Hexadecimal, as `eth_chainId` answers it. */
  readonly chainId: string;
}

/** An error with a code, as EIP-1193 has it. */
export interface ProviderRpcError extends Error {
  readonly code: number;
}

/** What a contract wrote with `console.log`. */
export interface ConsoleLog {
  /** The address of the contract, hexadecimal in lower case. */
  readonly contract: string;
  readonly text: string;
  /** The hash of the transaction that ran the code; `null` for an `eth_call`. */
  readonly transactionHash: string | null;
}

/** The events of a node and what comes with them. */
export interface LocalNodeEvents {
  readonly connect: ProviderConnectInfo;
  readonly disconnect: ProviderRpcError;
  /** The chain id in hexadecimal. */
  readonly chainChanged: string;
  /** What `eth_accounts` answers. */
  readonly accountsChanged: readonly string[];
  readonly message: ProviderMessage;
  readonly consoleLog: ConsoleLog;
}

/** Called with what comes with an event. */
export type LocalNodeListener<Event extends keyof LocalNodeEvents> = (detail: LocalNodeEvents[Event]) => void;

/** A moment of a node's chain. */
export interface LocalSnapshot {
  /**
   * Makes the chain what it was at that moment; as often as one likes, until the chain goes back to before it (an earlier
   * snapshot, a reset) or it is released. Rejects then.
   */
  revert(): Promise<void>;
  /** A node of its own that begins as the chain was at that moment. Rejects as {@link revert} does. */
  fork(): Promise<LocalNode>;
  /** Lets go of what is kept for it, as closing the node does; forks of it go on. */
  release(): Promise<void>;
}

/** Where a fork begins. */
export interface ForkOptions {
  /** The number of its head block; by default it is as the chain is now. */
  readonly block?: number | bigint | undefined;
}

/** Where and how to listen. */
export interface ListenOptions {
  /** The TCP port; a free one by default. */
  readonly port?: number | undefined;
  /** The address, `127.0.0.1` by default. Who can reach it can use the unlocked accounts. */
  readonly host?: string | undefined;
  /** True to serve a chain of its own on every path, as `--lanes` does. */
  readonly lanes?: boolean | undefined;
  /** The most lanes at a time; 1000 by default. */
  readonly laneLimit?: number | undefined;
  /** Seconds after which a lane that nobody calls is gone; 3600 by default, 0 for never. */
  readonly laneTimeout?: number | undefined;
}

/** A server on a node's chain. */
export interface LocalServer {
  /** Where to reach it over HTTP: `http://127.0.0.1:8545`. */
  readonly url: string;
  /** Where to reach it over WebSocket. */
  readonly webSocketUrl: string;
  readonly port: number;
  /** Answers what is in hand, then stops listening; the node goes on. */
  close(): Promise<void>;
}

/** A node in this process: an EIP-1193 provider that needs no socket. */
export interface LocalNode {
  /**
   * The result of a method. Rejects with an error that has the JSON-RPC `code`, and `data` where there is some; with
   * code 4900 once the node is closed.
   */
  request(call: RequestArguments): Promise<unknown>;
  /**
   * Calls `listener` with each item of this node's subscriptions (`message`), or with all that contracts write with
   * `console.log` in mined transactions, reverted ones too, and in `eth_call` (`consoleLog`); once, after what is under
   * way, with what the node is connected to (`connect`), and at the end of {@link close} with an error of code 4900
   * (`disconnect`); with another chain id (`chainChanged`) and with other accounts (`accountsChanged`) before the call that
   * changed them is answered. What a listener throws ends as an unhandled error does, after the chain has gone on.
   */
  on<Event extends keyof LocalNodeEvents>(event: Event, listener: LocalNodeListener<Event>): LocalNode;
  /** Ends what {@link on} began. */
  removeListener<Event extends keyof LocalNodeEvents>(
    event: Event,
    listener: LocalNodeListener<Event>,
  ): LocalNode;
  /**
   * A node of its own that begins as this one is, and goes on by itself. It costs microseconds, however large the chain
   * is, and is to be closed by itself.
   */
  fork(options?: ForkOptions): Promise<LocalNode>;
  /**
   * Keeps the chain as it is now, in memory and for the caller alone: `evm_listSnapshots` and the like do not tell of it.
   */
  snapshot(): Promise<LocalSnapshot>;
  /** Serves the chain over HTTP and WebSocket. Rejects with a `ListenError` when it cannot listen there. */
  listen(options?: ListenOptions): Promise<LocalServer>;
  /**
   * Answers what is in hand, then ends servers, subscriptions and mining. Forks of it go on, and ask the node that the
   * chain is a fork of, if it is one, for what they need; those of a chain in a directory can read its blocks and states no
   * more.
   */
  close(): Promise<void>;
}
