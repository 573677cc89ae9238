import { listenToConsole, type ConsoleLog as WrittenLog } from './cli/console-listening.ts';
import { NodeClosedError } from './cli/errors.ts';
import { type LocalOptions, settleLocalOptions } from './cli/local-options.ts';
import { chainOptionsOf, devAccountsOf } from './cli/node-settings.ts';
import { keyName } from './cli/usage-messages.ts';
import { VERSION } from './cli/version.ts';
import { createChain } from './node/create-chain.ts';
import { machineAddresses } from './node/peers/machine-addresses.ts';
import { PeerTable } from './node/peers/peer-table.ts';
import { systemClock, systemTimers } from './primitives/clock.ts';
import { systemRandom } from './primitives/random.ts';
import type { Connection } from './rpc/connection.ts';
import { createRpcService } from './rpc/rpc-service.ts';

/**
 * The options of {@link createNode}: those of the command line that say what the chain is, by their camel-case names
 * and in their units.
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

/** What a contract wrote with `console.log`: its address, the text, and the transaction's hash (`null` in an `eth_call`). */
export type ConsoleLog = WrittenLog;

/** The events of a node and what comes with them. */
export interface LocalNodeEvents {
  readonly message: ProviderMessage;
  readonly consoleLog: ConsoleLog;
}

type Listener<Event extends keyof LocalNodeEvents> = (detail: LocalNodeEvents[Event]) => void;

/** A node in this process: an EIP-1193 provider without any socket. */
export interface LocalNode {
  /**
   * The result of a method. Rejects with an error that has the JSON-RPC `code`, and `data` where there is some; with
   * code 4900 once the node is closed.
   */
  request(call: RequestArguments): Promise<unknown>;
  /**
   * Calls `listener` with each item of this node's subscriptions (`message`), or with all that contracts write with
   * `console.log` in mined transactions, reverted ones too, and in `eth_call` (`consoleLog`). What a listener throws
   * ends as an unhandled error does, after the chain has gone on.
   */
  on<Event extends keyof LocalNodeEvents>(event: Event, listener: Listener<Event>): LocalNode;
  /** Ends what {@link on} began. */
  removeListener<Event extends keyof LocalNodeEvents>(event: Event, listener: Listener<Event>): LocalNode;
  /** Answers what is in hand, then ends subscriptions and mining. */
  close(): Promise<void>;
}

/** Lets an error that nobody can be told of end as any unhandled error does, after what is under way. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Starts a chain in this process. Rejects with `UsageError` for options that the command line would refuse too. */
export async function createNode(options: LocalNodeOptions = {}): Promise<LocalNode> {
  const settings = settleLocalOptions(options);
  const chain = await createChain(chainOptionsOf(settings, await devAccountsOf(settings, keyName)), {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    onMiningError: throwLater,
    // Who asked is told by the error of the request.
    onEngineDifference: () => {},
  });
  const { compat, hosted, fieldNames, callTimeout } = settings;
  const logLimits = { blocks: settings.logBlockLimit, logs: settings.logLimit };
  const service = createRpcService(
    chain,
    { compat, hosted, fieldNames, logLimits, callTimeout, version: VERSION },
    systemRandom,
    new PeerTable(machineAddresses),
    systemClock,
  );
  const listeners: { readonly [Event in keyof LocalNodeEvents]: Set<Listener<Event>> } = {
    message: new Set(),
    consoleLog: new Set(),
  };
  let listensToConsole = false;
  const closing: (() => void)[] = [];
  const inHand = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  function tell<Event extends keyof LocalNodeEvents>(event: Event, detail: LocalNodeEvents[Event]): void {
    const listening: ReadonlySet<Listener<Event>> = listeners[event];
    for (const listener of listening) {
      try {
        listener(detail);
      } catch (error) {
        // Items come while a block is made: the listener's error must not undo it.
        throwLater(error);
      }
    }
  }

  const connection: Connection = {
    transport: 'in-process',
    remoteAddress: 'in-process',
    // A node that closes answers what is in hand first.
    isClosed: false,
    notify: (_method, params) => tell('message', { type: 'eth_subscription', data: params }),
    onClose: (action) => void closing.push(action),
  };

  async function close(): Promise<void> {
    await Promise.allSettled(inHand);
    for (const action of closing.splice(0)) action();
    await chain.close();
  }

  const node: LocalNode = {
    async request({ method, params }) {
      if (closed !== undefined) throw new NodeClosedError();
      const answer = service.call(method, params, connection);
      inHand.add(answer);
      try {
        return await answer;
      } finally {
        inHand.delete(answer);
      }
    },
    on<Event extends keyof LocalNodeEvents>(event: Event, listener: Listener<Event>) {
      if (event === 'consoleLog' && !listensToConsole) {
        listensToConsole = true;
        listenToConsole(chain, (log) => tell('consoleLog', log));
      }
      // The other events of EIP-1193 are of wallets and networks that change; nothing of the kind happens here.
      const known: Set<Listener<Event>> | undefined = listeners[event];
      known?.add(listener);
      return node;
    },
    removeListener<Event extends keyof LocalNodeEvents>(event: Event, listener: Listener<Event>) {
      const known: Set<Listener<Event>> | undefined = listeners[event];
      known?.delete(listener);
      return node;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
  return node;
}
