import type { Chain } from '../chain/chain.ts';
import { SnapshotNotFoundError } from '../chain/errors.ts';
import type { ForkPoint } from '../chain/snapshots/snapshots.ts';
import { NodeClosedError } from '../config/errors.ts';
import { listenToConsole } from '../log/console-log.ts';
import type { ChainNode } from '../node/create-node.ts';
import type { OpenedNode } from '../node/open-node.ts';
import { toQuantity } from '../primitives/hex.ts';
import { describeValue } from '../rpc/codecs/codec.ts';
import type { Connection, RpcService } from '../rpc/connection.ts';
import { InvalidParamsError } from '../rpc/errors.ts';
import { plainResult } from '../rpc/views/log-list.ts';
import {
  checkForkOptions,
  type ForkOptions,
  type ListenOptions,
  type LocalNode,
  type LocalNodeEvents,
  type LocalNodeListener,
  type LocalServer,
  type LocalSnapshot,
  type RequestArguments,
} from './local-node.ts';

/** A value and a listener for its changes. Values are compared as JSON. */
class Watched<Value> {
  readonly #read: () => Value;
  readonly #emit: (value: Value) => void;
  #known: string | null = null;

  constructor(read: () => Value, tell: (value: Value) => void) {
    this.#read = read;
    this.#emit = tell;
  }

  /** Starts to compare with the present value. */
  begin(): void {
    this.#known = JSON.stringify(this.#read());
  }

  /** Stops comparing until {@link begin}. */
  end(): void {
    this.#known = null;
  }

  /** Calls the listener if the value has changed. */
  look(): void {
    if (this.#known === null) return;
    const value = this.#read();
    const now = JSON.stringify(value);
    if (now === this.#known) return;
    this.#known = now;
    this.#emit(value);
  }
}

/** The parts of an open node that its forks share. */
export interface SharedParts extends Pick<OpenedNode, 'serviceOf' | 'openLanes'> {
  /** Returns the accounts that `eth_accounts` lists for a node. */
  readonly accountsOf: (node: ChainNode) => readonly string[];
}

/** Closes a node that is not a fork of another node in this process. */
export interface NodeEnd {
  /** Writes the reports, after all pending requests. */
  finish(): Promise<void>;
  /** Closes the chain and its files. */
  close(): Promise<void>;
}

/** Throws an error as an unhandled one in a microtask. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function callListener<Event extends keyof LocalNodeEvents>(
  listener: LocalNodeListener<Event>,
  detail: LocalNodeEvents[Event],
): void {
  try {
    listener(detail);
  } catch (error) {
    // Listeners can run while a block is mined. Their errors must not undo the block.
    throwLater(error);
  }
}

export class InProcessNode implements LocalNode {
  readonly #node: ChainNode;
  readonly #chain: Chain;
  readonly #shared: SharedParts;
  readonly #service: RpcService;
  readonly #connection: Connection;
  readonly #listeners: { readonly [Event in keyof LocalNodeEvents]: Set<LocalNodeListener<Event>> } = {
    connect: new Set(),
    disconnect: new Set(),
    chainChanged: new Set(),
    accountsChanged: new Set(),
    message: new Set(),
    consoleLog: new Set(),
  };
  readonly #watched: {
    readonly chainChanged: Watched<string>;
    readonly accountsChanged: Watched<readonly string[]>;
  };
  readonly #closing = new Set<() => void>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #servers = new Set<LocalServer>();
  /** Listeners that have received `connect`. */
  readonly #connected = new WeakSet<LocalNodeListener<'connect'>>();
  readonly #end: NodeEnd | null;
  #listensToConsole = false;
  #closed: Promise<void> | undefined;

  /** `end` is `null` for a fork in this process: only its chain is closed. */
  constructor(node: ChainNode, shared: SharedParts, end: NodeEnd | null = null) {
    this.#end = end;
    this.#node = node;
    this.#chain = node.chain;
    this.#shared = shared;
    this.#service = shared.serviceOf(node, null);
    this.#watched = {
      chainChanged: new Watched(
        () => this.#chainId(),
        (chainId) => this.#emit('chainChanged', chainId),
      ),
      accountsChanged: new Watched(
        () => shared.accountsOf(node),
        (accounts) => this.#emit('accountsChanged', accounts),
      ),
    };
    this.#connection = {
      transport: 'in-process',
      remoteAddress: 'in-process',
      // A closing node first answers the pending requests.
      isClosed: false,
      notify: (_method, params) => this.#emit('message', { type: 'eth_subscription', data: params }),
      onClose: (action) => {
        this.#closing.add(action);
        return () => this.#closing.delete(action);
      },
    };
  }

  #emit<Event extends keyof LocalNodeEvents>(event: Event, detail: LocalNodeEvents[Event]): void {
    const listening: ReadonlySet<LocalNodeListener<Event>> = this.#listeners[event];
    for (const listener of listening) callListener(listener, detail);
  }

  #chainId(): string {
    return toQuantity(this.#chain.settings.chainId);
  }

  #lookForChanges(): void {
    this.#watched.chainChanged.look();
    this.#watched.accountsChanged.look();
  }

  async #while<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw new NodeClosedError();
    const result = action();
    this.#running.add(result);
    try {
      return await result;
    } finally {
      this.#lookForChanges();
      this.#running.delete(result);
    }
  }

  async request(call: RequestArguments): Promise<unknown> {
    // JavaScript clients can pass any value.
    const given: Partial<RequestArguments> | null | undefined = call;
    const { method, params } = given ?? {};
    if (typeof method !== 'string')
      throw new InvalidParamsError('method', 'a method name', describeValue(method));
    return this.#while(async () => plainResult(await this.#service.call(method, params, this.#connection)));
  }

  on<Event extends keyof LocalNodeEvents>(event: Event, listener: LocalNodeListener<Event>): LocalNode {
    if (event === 'consoleLog' && !this.#listensToConsole) {
      this.#listensToConsole = true;
      listenToConsole(this.#chain, (log) => this.#emit('consoleLog', log));
    }
    // JavaScript clients can pass any name.
    const known: Set<LocalNodeListener<Event>> | undefined = this.#listeners[event];
    if (known?.size === 0) this.#watchedBy(event)?.begin();
    known?.add(listener);
    if (event === 'connect') this.#connectLater();
    return this;
  }

  #watchedBy(event: keyof LocalNodeEvents): Pick<Watched<unknown>, 'begin' | 'end'> | null {
    return event === 'chainChanged' || event === 'accountsChanged' ? this.#watched[event] : null;
  }

  /** Calls new `connect` listeners in a microtask, because the node is connected from the start. */
  #connectLater(): void {
    queueMicrotask(() => {
      for (const listener of this.#listeners.connect) {
        if (this.#closed !== undefined || this.#connected.has(listener)) continue;
        this.#connected.add(listener);
        callListener(listener, { chainId: this.#chainId() });
      }
    });
  }

  removeListener<Event extends keyof LocalNodeEvents>(
    event: Event,
    listener: LocalNodeListener<Event>,
  ): LocalNode {
    const known: Set<LocalNodeListener<Event>> | undefined = this.#listeners[event];
    known?.delete(listener);
    if (known?.size === 0) this.#watchedBy(event)?.end();
    return this;
  }

  async fork(options: ForkOptions = {}): Promise<LocalNode> {
    checkForkOptions(options);
    const { block } = options;
    return this.#forkAt(block === undefined ? 'present' : { block: Number(block) });
  }

  #forkAt(point: ForkPoint): Promise<LocalNode> {
    return this.#while(async () => new InProcessNode(await this.#node.branch(point), this.#shared));
  }

  snapshot(): Promise<LocalSnapshot> {
    return this.#while(async () => {
      const { snapshots } = this.#chain;
      const key = await snapshots.takeHidden();
      return {
        revert: () =>
          this.#while(async () => {
            if (!(await snapshots.revert(key))) throw new SnapshotNotFoundError(key);
          }),
        fork: () => this.#forkAt({ snapshot: key }),
        release: async () => {
          // A closed node has released its snapshots.
          if (this.#closed === undefined) await this.#while(() => snapshots.remove(key));
        },
      };
    });
  }

  listen(options: ListenOptions = {}): Promise<LocalServer> {
    return this.#while(async () => {
      // Loaded here, because most in-process nodes need no server.
      const { listen } = await import('./listening.ts');
      const server = await listen(
        {
          node: this.#node,
          serviceOf: (lanes, activity) => this.#watching(this.#shared.serviceOf(this.#node, lanes, activity)),
          openLanes: (limits) => this.#shared.openLanes(limits, this.#node),
        },
        throwLater,
        options,
      );
      const open: LocalServer = {
        ...server,
        close: async () => {
          this.#servers.delete(open);
          await server.close();
        },
      };
      this.#servers.add(open);
      return open;
    });
  }

  /** Returns a service that checks the watched values after each call. */
  #watching(service: RpcService): RpcService {
    return {
      ...service,
      call: async (method, params, connection, token) => {
        try {
          return await service.call(method, params, connection, token);
        } finally {
          this.#lookForChanges();
        }
      },
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#chain.stopSearching();
    await Promise.allSettled(this.#running);
    await Promise.all(Array.from(this.#servers, (server) => server.close()));
    for (const action of this.#closing) action();
    this.#closing.clear();
    this.#emit('disconnect', new NodeClosedError());
    try {
      await this.#end?.finish();
    } finally {
      await (this.#end ?? this.#chain).close();
    }
  }
}
