import type { Chain } from '../../../chain/chain.ts';
import type { Durability } from '../../../chain/chain-core.ts';
import type { Timers } from '../../../primitives/clock.ts';
import { toHex } from '../../../primitives/hex.ts';
import { nextTurn } from '../../../primitives/interrupt.ts';
import { type Task, waitFor } from '../../../primitives/task.ts';
import type { WorkPieces } from '../../../primitives/work-pieces.ts';
import { type Block, logCountOf } from '../../../protocol/block.ts';
import type { LogCriteria } from '../../../storage/log-criteria.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { lookInBlock } from '../../../storage/log-search.ts';
import { headView } from '../../../wire/block.ts';
import type { FieldNames } from '../../../wire/header.ts';
import { logViews } from '../../../wire/log.ts';
import { blockReceiptsInPieces, type ReceiptDialect } from '../../../wire/receipt.ts';
import { transactionView } from '../../../wire/transaction.ts';
import { Pace } from '../../activity.ts';
import { baseEventAfter, baseEventReader } from '../../block-answers.ts';
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
import { type NotificationQueue, OrderedSending } from '../../notification-queue.ts';

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
    throw new MethodNotFoundError(
      method,
      'notifications need a WebSocket connection, HTTP has no way to send them',
    );
  }
  return connection.notify;
}

/** Sends the present head. */
type SendHead = (block: Block, push: Push) => void;

/** Reads `baseEvent` of heads; `null` if headers have none. */
type BaseEventReader = ((state: WorldState) => Uint8Array) | null;

/** Returns the function that sends the block that is the head now, each one behind the one before. */
function headSender(
  chain: Chain,
  queue: NotificationQueue,
  { fieldNames, readBaseEvent }: HeadOptions,
): SendHead {
  if (readBaseEvent === null) return (block, push) => queue.take(() => push(headView(block, fieldNames)));
  const sending = new OrderedSending(chain.turns, queue);
  return (block, push) => {
    // The state is that after the block only now.
    const state = chain.headState();
    sending.take(function* () {
      const isFirst = block.header.number === 0;
      const event = isFirst ? undefined : yield* waitFor(baseEventAfter(readBaseEvent, state));
      push(headView(block, fieldNames, event));
    }, false);
  };
}

/** The form of heads. */
interface HeadOptions {
  readonly fieldNames: FieldNames;
  readonly readBaseEvent: BaseEventReader;
}

/** The newest head alone, at most once in each pause. */
function pushNewestHead(chain: Chain, pause: number, timers: Timers, send: SendHead, push: Push): () => void {
  const pace = new Pace(timers, pause, () => send(chain.head(), push));
  const stopBlocks = chain.events.on('block', () => pace.wake());
  const stopRemoved = chain.events.on('removed', () => pace.wake());
  return () => {
    stopBlocks();
    stopRemoved();
    pace.stop();
  };
}

/** New heads: of a reorganization the blocks of the new branch; after a revert the block that is the head again. */
function pushHeads(chain: Chain, send: SendHead, push: Push): () => void {
  const stopBlocks = chain.events.on('block', (block) => send(block, push));
  const stopRemoved = chain.events.on('removed', (_blocks, successors) => {
    if (successors === 'none') send(chain.head(), push);
  });
  return () => {
    stopBlocks();
    stopRemoved();
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
function pushLogs(chain: Chain, queue: NotificationQueue, criteria: LogCriteria, push: Push): () => void {
  const sending = new OrderedSending(chain.turns, queue);

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

  const take = (block: Block, removed: boolean): void => {
    const count = logCountOf(block);
    if (count > 0) sending.take((pieces) => send(block, removed, pieces), count <= LOGS_AT_ONCE);
  };

  const stopBlocks = chain.events.on('block', (block) => take(block, false));
  const stopRemoved = chain.events.on('removed', (blocks) => {
    for (const block of blocks.toReversed()) take(block, true);
  });
  return () => {
    sending.isEnded = true;
    stopBlocks();
    stopRemoved();
  };
}

/** For each block the receipts of its transactions in one list, or of those of them that were named. */
function pushReceipts(
  chain: Chain,
  queue: NotificationQueue,
  dialect: ReceiptDialect,
  hashes: readonly Uint8Array[],
  push: Push,
): () => void {
  const wanted = new Set<unknown>(hashes.map(toHex));
  const sending = new OrderedSending(chain.turns, queue);

  function* send(block: Block, pieces: WorkPieces): Task<void> {
    const receipts = yield* blockReceiptsInPieces(block, dialect, chain.ruleSet, pieces);
    const asked =
      wanted.size === 0 ? receipts : receipts.filter(({ transactionHash }) => wanted.has(transactionHash));
    if (asked.length > 0 && !sending.isEnded) push(asked);
  }

  const stop = chain.events.on('block', (block) => {
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
  queue: NotificationQueue,
  push: Push,
  end: () => void,
): () => void {
  const settled = chain.durability === null ? null : new DurableNotifier(chain.durability, push);
  const stopItems = startItems(chain, compat, heads, kind, options, timers, queue, settled?.push ?? push);
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
  queue: NotificationQueue,
  push: Push,
): () => void {
  switch (kind) {
    case 'newHeads': {
      const send = headSender(chain, queue, heads);
      return options.pace === null
        ? pushHeads(chain, send, push)
        : pushNewestHead(chain, options.pace.pause, timers, send, push);
    }
    case 'newPendingTransactions':
      return chain.events.on('pendingTransaction', (transaction) =>
        queue.take(() =>
          push(options.full ? transactionView(transaction, null, chain.ruleSet) : toHex(transaction.hash)),
        ),
      );
    case 'logs':
      return pushLogs(chain, queue, criteriaOf(options.logs, compat), push);
    case 'transactionReceipts':
      return pushReceipts(chain, queue, compat, options.transactionHashes, push);
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
      const { chain, settings, connection, subscriptions, activity, lanes, timers } = context;
      const notify = requireNotify(connection, 'eth_subscribe');
      const { pace } = options;
      const queue = subscriptions.queueOf(chain.turns);
      if (kind === 'activity') {
        const isLimited = settings.separatesKeys || lanes?.areKeysSecret === true;
        const scope = isLimited ? { lane: connection.key ?? '', hasBase: lanes === null } : null;
        return subscriptions.add(connection, notify, (push) =>
          pace === null
            ? activity.watch((entry) => queue.take(() => push(entry)), scope)
            : activity.watchPaced(push, scope, pace, timers),
        );
      }
      if (pace !== null && kind !== 'newHeads')
        throw new InvalidParamsError('options.pause', 'none for this kind', describeValue(pace.pause));
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
            queue,
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
    result: { description: 'True when the subscription ended', schema: { type: 'boolean' } },
    handler: ({ connection, subscriptions }, id) => {
      requireNotify(connection, 'eth_unsubscribe');
      return subscriptions.remove(connection, id);
    },
  }),
];
