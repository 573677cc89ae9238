import type { Chain } from '../../../chain/chain.ts';
import type { Durability } from '../../../chain/chain-core.ts';
import type { Timers } from '../../../primitives/clock.ts';
import { toHex } from '../../../primitives/hex.ts';
import { type Block, logCountOf } from '../../../protocol/block.ts';
import { nextTurn } from '../../../scheduling/interrupt.ts';
import { OrderedSending } from '../../../scheduling/notification-queue.ts';
import { type Task, waitFor } from '../../../scheduling/task.ts';
import type { WorkPieces } from '../../../scheduling/work-pieces.ts';
import type { WorldState } from '../../../state/world-state.ts';
import type { LogCriteria } from '../../../storage/log-criteria.ts';
import { lookInBlock } from '../../../storage/log-search.ts';
import { headView } from '../../../wire/block.ts';
import type { FieldNames } from '../../../wire/header.ts';
import { logViews } from '../../../wire/log.ts';
import { blockReceiptsInPieces, type ReceiptDialect } from '../../../wire/receipt.ts';
import { transactionView } from '../../../wire/transaction.ts';
import { Pace } from '../../activity.ts';
import { baseEventAfter, baseEventReader } from '../../block-answers.ts';
import type { ChainNotifications, NewHead } from '../../chain-notifications.ts';
import { describeValue, leaf } from '../../codecs/codec.ts';
import {
  NO_SUBSCRIPTION_OPTIONS,
  type SubscriptionOptions,
  subscriptionOptions,
} from '../../codecs/filter-object.ts';
import type { Compat } from '../../compat.ts';
import type { Connection, Push } from '../../connection.ts';
import { InvalidParamsError, MethodNotFoundError } from '../../errors.ts';
import { criteriaOf } from '../../log-answers.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

/**
 * Sends items in the order they come, each once the disk has the chain as it was then: no caller may get an item that a crash
 * could take back. Items whose write failed wait for the next one.
 */
export class DurableNotifier {
  readonly #durability: Pick<Durability, 'settle'>;
  readonly #push: Push;
  readonly #waiting: unknown[] = [];
  /** The number of items that were sent. */
  #sent = 0;

  constructor(durability: Pick<Durability, 'settle'>, push: Push) {
    this.#durability = durability;
    this.#push = push;
  }

  /** Takes an item. */
  readonly push: Push = (item) => {
    this.#waiting.push(item);
    const settled = this.#durability.settle();
    const count = this.#sent + this.#waiting.length;
    if (settled === undefined) this.#sendUntil(count);
    else
      settled.then(
        () => this.#sendUntil(count),
        // The call that made the change answers that the disk failed.
        () => undefined,
      );
  };

  #sendUntil(count: number): void {
    const items = this.#waiting.splice(0, Math.max(0, count - this.#sent));
    this.#sent += items.length;
    for (const item of items) this.#push(item);
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#waiting.length = 0;
  }
}

/** The kinds of subscriptions. */
const SUBSCRIPTION_KINDS = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'transactionReceipts',
  'syncing',
  'activity',
] as const;

export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** The kinds that follow one chain. */
type ChainSubscriptionKind = Exclude<SubscriptionKind, 'activity'>;

/** The name of what is subscribed to. */
const subscriptionKind = leaf<SubscriptionKind>(
  SUBSCRIPTION_KINDS.join(', '),
  { type: 'string', enum: SUBSCRIPTION_KINDS },
  (value) => SUBSCRIPTION_KINDS.find((kind) => kind === value),
);

/** Returns the function that notifies the connection. Throws {@link MethodNotFoundError} where its transport cannot be notified. */
function requireNotify(connection: Connection, method: string): NonNullable<Connection['notify']> {
  if (connection.notify === null) {
    throw new MethodNotFoundError(method, 'subscriptions need a WebSocket connection');
  }
  return connection.notify;
}

/** Reads `baseEvent` of heads; `null` if headers have none. */
type BaseEventReader = ((state: WorldState) => Uint8Array) | null;

/** Returns the function that sends a head, each one behind the one before. */
function headSender(chain: Chain, { fieldNames, readBaseEvent }: HeadOptions, push: Push): HeadSender {
  if (readBaseEvent === null) return { send: ({ view }) => push(view), end: () => undefined };
  const sending = new OrderedSending(chain.turns);
  return {
    send: ({ block, state }) =>
      sending.take(function* () {
        const isFirst = block.header.number === 0;
        const event = isFirst ? undefined : yield* waitFor(baseEventAfter(readBaseEvent, state));
        if (!sending.isEnded) push(headView(block, fieldNames, event));
      }, false),
    end: () => {
      sending.isEnded = true;
    },
  };
}

/** Sends heads until it is ended. */
interface HeadSender {
  send(head: NewHead): void;
  end(): void;
}

/** The form of heads. */
interface HeadOptions {
  readonly fieldNames: FieldNames;
  readonly readBaseEvent: BaseEventReader;
}

/** The newest head alone, at most once in each pause. */
function pushNewestHead(
  chain: Chain,
  pause: number,
  timers: Timers,
  heads: HeadOptions,
  push: Push,
): () => void {
  const sender = headSender(chain, heads, push);
  const pace = new Pace(timers, pause, () => {
    const block = chain.head();
    sender.send({ block, state: chain.headState(), view: headView(block, heads.fieldNames) });
  });
  const stopBlocks = chain.events.on('block', () => pace.wake());
  const stopRemoved = chain.events.on('removed', () => pace.wake());
  return () => {
    sender.end();
    stopBlocks();
    stopRemoved();
    pace.stop();
  };
}

/** New heads: of a reorganization the blocks of the new branch; after a revert the block that is the head again. */
function pushHeads(
  chain: Chain,
  notifications: ChainNotifications,
  heads: HeadOptions,
  push: Push,
): () => void {
  const sender = headSender(chain, heads, push);
  const stop = notifications.heads.add((head) => sender.send(head));
  return () => {
    sender.end();
    stop();
  };
}

/** Logs that are sent at once, and the units of work for matching, showing and sending one of them. */
const LOGS_AT_ONCE = 128;
const LOG_WORK = 1_000;
/** Units of work for looking at a thousand logs. */
const LOOKING_WORK = 2 ** 14;
/** Transactions and logs of a block whose receipts are sent at once. */
const RECEIPTS_AT_ONCE = 64;

/** The logs of new blocks, and of blocks that left the chain, one by one and the oldest first. */
function pushLogs(
  chain: Chain,
  notifications: ChainNotifications,
  criteria: LogCriteria,
  push: Push,
): () => void {
  const sending = new OrderedSending(chain.turns);

  function* send(block: Block, removed: boolean, pieces: WorkPieces): Task<void> {
    for (const logs of lookInBlock(block, criteria, removed)) {
      for (let start = 0; start < logs.length && !sending.isEnded; start += LOGS_AT_ONCE) {
        const views = logViews(logs.slice(start, start + LOGS_AT_ONCE));
        for (const view of views) push(view);
        const turn = pieces.spend(LOG_WORK * views.length);
        if (turn !== undefined) yield turn;
      }
      if (sending.isEnded) return;
      const turn = pieces.spend(LOOKING_WORK);
      if (turn !== undefined) yield turn;
    }
  }

  const stop = notifications.blocks.add(({ block, removed }) => {
    const count = logCountOf(block);
    if (count > 0) sending.take((pieces) => send(block, removed, pieces), count <= LOGS_AT_ONCE);
  });
  return () => {
    sending.isEnded = true;
    stop();
  };
}

/** For each block the receipts of its transactions in one list, or of those of them that were named. */
function pushReceipts(
  chain: Chain,
  notifications: ChainNotifications,
  dialect: ReceiptDialect,
  hashes: readonly Uint8Array[],
  push: Push,
): () => void {
  const wanted = new Set<unknown>(hashes.map(toHex));
  const sending = new OrderedSending(chain.turns);

  function* send(block: Block, pieces: WorkPieces): Task<void> {
    const receipts = yield* blockReceiptsInPieces(block, dialect, chain.ruleSet, pieces);
    const asked =
      wanted.size === 0 ? receipts : receipts.filter(({ transactionHash }) => wanted.has(transactionHash));
    if (asked.length > 0 && !sending.isEnded) push(asked);
  }

  const stop = notifications.blocks.add(({ block, removed }) => {
    if (removed) return;
    const isShort = block.transactions.length + logCountOf(block) <= RECEIPTS_AT_ONCE;
    sending.take((pieces) => send(block, pieces), isShort);
  });
  return () => {
    sending.isEnded = true;
    stop();
  };
}

/**
 * Pushes what happens on the chain from now on, once the disk has it where the chain is kept on one; gives the function
 * that ends it. Calls `end` when the chain is gone.
 */
function startSubscription(
  chain: Chain,
  compat: Compat,
  heads: HeadOptions,
  kind: ChainSubscriptionKind,
  options: SubscriptionOptions,
  timers: Timers,
  notifications: ChainNotifications,
  push: Push,
  end: () => void,
): () => void {
  const settled = chain.durability === null ? null : new DurableNotifier(chain.durability, push);
  const stopItems = startItems(
    chain,
    compat,
    heads,
    kind,
    options,
    timers,
    notifications,
    settled?.push ?? push,
  );
  const stopWaiting = chain.events.on('closed', end);
  return () => {
    stopItems();
    stopWaiting();
    settled?.stop();
  };
}

function startItems(
  chain: Chain,
  compat: Compat,
  heads: HeadOptions,
  kind: ChainSubscriptionKind,
  options: SubscriptionOptions,
  timers: Timers,
  notifications: ChainNotifications,
  push: Push,
): () => void {
  switch (kind) {
    case 'newHeads':
      return options.pace === null
        ? pushHeads(chain, notifications, heads, push)
        : pushNewestHead(chain, options.pace.pause, timers, heads, push);
    case 'newPendingTransactions':
      return notifications.pendingTransactions.add((transaction) =>
        push(options.full ? transactionView(transaction, null, chain.ruleSet) : toHex(transaction.hash)),
      );
    case 'logs':
      return pushLogs(chain, notifications, criteriaOf(options.logs, compat), push);
    case 'transactionReceipts':
      return pushReceipts(chain, notifications, compat, options.transactionHashes, push);
    case 'syncing':
      // A lone node never syncs. The status is sent behind the id of the subscription.
      if (compat.sendsSyncing) void nextTurn().then(() => push(false));
      return () => undefined;
  }
}

const subscriptionId = leaf('the id of a subscription', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

export const ETH_SUBSCRIPTIONS: readonly Method[] = [
  /**
   * Sends what happens on the chain as `eth_subscription` notifications until the subscription or the connection ends:
   * headers of new blocks, logs (with `removed` when their block left the chain), hashes of pending transactions (or,
   * with `true` as the second parameter, whole ones), or the receipts of each block in one list. `activity` sends what the log
   * reports on the chain and all its lanes, in the form of `--json`: requests, transactions, console output, removed blocks.
   * With a `pause` in milliseconds, for callers that only display, `newHeads` sends the newest head at most that often, and
   * `activity` batches `{entries, omitted}` of at most `most` entries (20), and as many failures, without the kinds in `except`;
   * `omitted` counts by kind what there was besides, which costs the node next to nothing.
   */
  defineMethod({
    name: 'eth_subscribe',
    summary:
      'Starts a subscription to new heads, logs, receipts, pending transactions or activity (WebSocket)',
    params: [
      param('kind', subscriptionKind),
      optional('options', subscriptionOptions, NO_SUBSCRIPTION_OPTIONS),
    ],
    result: { description: 'The id of the subscription', schema: { type: 'string' } },
    handler: (context, kind, options) => {
      const {
        node: { chain },
        settings,
        connection,
        services: { subscriptions, activity, lanes, timers },
      } = context;
      const notify = requireNotify(connection, 'eth_subscribe');
      const { pace } = options;
      const notifications = subscriptions.notificationsOf(chain, activity, settings.fieldNames);
      if (kind === 'activity') {
        const isLimited = settings.separatesKeys || lanes?.areKeysSecret === true;
        const scope = isLimited ? { lane: connection.key ?? '', hasBase: lanes === null } : null;
        return subscriptions.add(connection, notify, (push) =>
          pace === null
            ? notifications.onActivity(scope, push)
            : activity.watchPaced(push, scope, pace, timers),
        );
      }
      if (pace !== null && kind !== 'newHeads')
        throw new InvalidParamsError(
          'options.pause',
          'no value, because only newHeads and activity support pause',
          describeValue(pace.pause),
        );
      const { compat, fieldNames } = settings;
      const start = (readBaseEvent: BaseEventReader): string =>
        subscriptions.add(connection, notify, (push, end) =>
          startSubscription(
            chain,
            compat,
            { fieldNames, readBaseEvent },
            kind,
            options,
            timers,
            notifications,
            push,
            end,
          ),
        );
      return kind === 'newHeads' && fieldNames === 'native'
        ? baseEventReader(context).then(start)
        : start(null);
    },
  }),
  /** Ends a subscription of this connection; false when it has none with that id. */
  defineMethod({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription (WebSocket)',
    params: [param('subscription', subscriptionId)],
    result: { description: 'true if the subscription ended', schema: { type: 'boolean' } },
    handler: ({ connection, services: { subscriptions } }, id) => {
      requireNotify(connection, 'eth_unsubscribe');
      return subscriptions.remove(connection, id);
    },
  }),
];
