import type { Chain } from '../../../chain/chain.ts';
import type { Durability } from '../../../chain/chain-core.ts';
import type { InsertedRange } from '../../../chain/filters/filters.ts';
import type { Timers } from '../../../primitives/clock.ts';
import { toHex } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { type Block, logCountOf } from '../../../protocol/block.ts';
import { nextIteration } from '../../../scheduling/cancel-check.ts';
import { OrderedSending } from '../../../scheduling/notification-queue.ts';
import { type Task, waitFor } from '../../../scheduling/task.ts';
import type { WorldState } from '../../../state/world-state.ts';
import type { LogCriteria } from '../../../storage/log-criteria.ts';
import { lookInBlock } from '../../../storage/log-search.ts';
import { headView } from '../../../wire/block.ts';
import type { FieldNames } from '../../../wire/header.ts';
import { logViews } from '../../../wire/log.ts';
import { blockReceipts } from '../../../wire/receipt.ts';
import { asObject } from '../../../wire/tolerant.ts';
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
import type { RpcContext } from '../../rpc-context.ts';

/**
 * Sends items in order, each after its block is on disk, so that a crash cannot revert a sent item. Items
 * whose write failed are sent after the next write.
 */
export class DurableNotifier {
  readonly #durability: Pick<Durability, 'settle'>;
  readonly #push: Push;
  readonly #waiting: unknown[] = [];
  /** The number of sent items. */
  #sent = 0;

  constructor(durability: Pick<Durability, 'settle'>, push: Push) {
    this.#durability = durability;
    this.#push = push;
  }

  readonly push: Push = (item) => {
    this.#waiting.push(item);
    const settled = this.#durability.settle();
    const count = this.#sent + this.#waiting.length;
    if (settled === undefined) this.#sendUntil(count);
    else
      settled.then(
        () => this.#sendUntil(count),
        // The request that made the change reports the disk error.
        () => undefined,
      );
  };

  #sendUntil(count: number): void {
    const items = this.#waiting.splice(0, Math.max(0, count - this.#sent));
    this.#sent += items.length;
    for (const item of items) this.#push(item);
  }

  stop(): void {
    this.#waiting.length = 0;
  }
}

const SUBSCRIPTION_KINDS = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'transactionReceipts',
  'syncing',
  'activity',
] as const;

export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** The kinds for one chain. */
type ChainSubscriptionKind = Exclude<SubscriptionKind, 'activity'>;

const subscriptionKind = leaf<SubscriptionKind>(
  SUBSCRIPTION_KINDS.join(', '),
  { type: 'string', enum: SUBSCRIPTION_KINDS },
  (value) => SUBSCRIPTION_KINDS.find((kind) => kind === value),
);

/** Returns the function that notifies the connection. Throws {@link MethodNotFoundError} for HTTP. */
export function requireNotify(connection: Connection, method: string): NonNullable<Connection['notify']> {
  if (connection.notify === null) {
    throw new MethodNotFoundError(method, 'subscriptions need a WebSocket or IPC connection');
  }
  return connection.notify;
}

/** Reads `baseEvent` of heads; `null` if headers have none. */
type BaseEventReader = ((state: WorldState) => Uint8Array) | null;

/** Returns a function that sends heads in order. */
function headSender(chain: Chain, { fieldNames, readBaseEvent }: HeadOptions, push: Push): HeadSender {
  if (readBaseEvent === null) return { send: ({ view }) => push(view), end: () => undefined };
  const sending = new OrderedSending(chain.yielder);
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

/** Sends heads until it ends. */
interface HeadSender {
  send(head: NewHead): void;
  end(): void;
}

/** The form of heads. */
interface HeadOptions {
  readonly fieldNames: FieldNames;
  readonly readBaseEvent: BaseEventReader;
}

/** The chain of a subscription, and the sources of its items. */
interface Source {
  readonly chain: Chain;
  readonly compat: Compat;
  readonly heads: HeadOptions;
  readonly timers: Timers;
  readonly notifications: ChainNotifications;
  readonly inserted: InsertedBlocks;
}

/** Sends only the newest head, at most once per pause. */
function pushNewestHead({ chain, timers, heads }: Source, pause: number, push: Push): () => void {
  const sender = headSender(chain, heads, push);
  const pace = new Pace(timers, pause, () => {
    const block = chain.head();
    sender.send({ block, state: chain.headState(), view: headView(block, heads.fieldNames) });
  });
  const stopBlocks = chain.events.on('block', () => pace.wake());
  const stopRemoved = chain.events.on('removed', () => pace.wake());
  const stopInserted = chain.events.on('inserted', () => pace.wake());
  return () => {
    sender.end();
    stopBlocks();
    stopRemoved();
    stopInserted();
    pace.stop();
  };
}

/** Sends new heads: each block of a new branch after a reorganization, the new head after a revert. */
function pushHeads({ chain, notifications, heads }: Source, push: Push): () => void {
  const sender = headSender(chain, heads, push);
  const stop = notifications.heads.add((head) => sender.send(head));
  return () => {
    sender.end();
    stop();
  };
}

/** Maximum logs per time slice, and the work units per log. */
const LOGS_AT_ONCE = 128;
const LOG_WORK = 1_000;
/** Work units per thousand logs that are searched. */
const LOOKING_WORK = 2 ** 14;
/** Blocks with at most this number of transactions and logs are sent in one time slice. */
const RECEIPTS_AT_ONCE = 64;

/** Reads blocks of the forked chain that were inserted below the local blocks. */
interface InsertedBlocks {
  logs(criteria: LogCriteria, blocks: InsertedRange): Promise<readonly unknown[]>;
  /** Returns the receipts of each block. */
  receipts(blocks: InsertedRange): Promise<readonly (readonly unknown[])[]>;
}

/** Loads the code on demand. If the upstream fails, a notice in the log names the blocks. */
function insertedBlocks(context: RpcContext): InsertedBlocks {
  const { node, settings } = context;
  const { chain } = node;
  const unlessFailed = async <Item>(
    { from, to }: InsertedRange,
    reading: () => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> => {
    try {
      return await reading();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const notice = `A subscription does not get the items of the blocks ${from} to ${to} of the forked chain: ${reason}`;
      chain.events.emit('notice', notice);
      return [];
    }
  };
  return {
    logs: (criteria, blocks) =>
      unlessFailed(blocks, async () => {
        const fork = node.fork.current;
        if (fork === null) return [];
        const { insertedLogs } = await import('../../fork/fork-ranges.ts');
        return insertedLogs(fork, criteria, blocks, settings.fieldNames);
      }),
    receipts: (blocks) =>
      unlessFailed(blocks, async () => {
        const fork = node.fork.current;
        if (fork === null) return [];
        const { insertedReceipts } = await import('../../fork/inserted-receipts.ts');
        return insertedReceipts({ method: { name: 'eth_subscribe' }, context, fork }, blocks);
      }),
  };
}

/** Sends the logs of added and removed blocks one by one, oldest first. */
function pushLogs({ chain, notifications, inserted }: Source, criteria: LogCriteria, push: Push): () => void {
  const sending = new OrderedSending(chain.yielder);

  function* send(block: Block, removed: boolean): Steps<void> {
    for (const logs of lookInBlock(block, criteria, removed)) {
      for (let start = 0; start < logs.length && !sending.isEnded; start += LOGS_AT_ONCE) {
        const views = logViews(logs.slice(start, start + LOGS_AT_ONCE));
        for (const view of views) push(view);
        yield LOG_WORK * views.length;
      }
      if (sending.isEnded) return;
      yield LOOKING_WORK;
    }
  }

  function* sendInserted(blocks: InsertedRange): Task<void> {
    const logs = yield* waitFor(inserted.logs(criteria, blocks));
    if (!sending.isEnded) for (const log of logs) push(log);
  }

  const stop = notifications.blocks.add((moved) => {
    if ('inserted' in moved) {
      sending.take(() => sendInserted(moved.inserted), false);
      return;
    }
    const count = logCountOf(moved.block);
    if (count > 0) sending.take(() => send(moved.block, moved.removed), count <= LOGS_AT_ONCE);
  });
  return () => {
    sending.isEnded = true;
    stop();
  };
}

/** Sends one list per block, with all receipts or the receipts of the selected transactions. */
function pushReceipts(
  { chain, notifications, compat, inserted }: Source,
  hashes: readonly Uint8Array[],
  push: Push,
): () => void {
  const wanted = new Set<unknown>(hashes.map(toHex));
  const sending = new OrderedSending(chain.yielder);

  const sendWanted = (receipts: readonly unknown[]): void => {
    const isWanted = (receipt: unknown): boolean => wanted.has(asObject(receipt)?.transactionHash);
    const asked = wanted.size === 0 ? receipts : receipts.filter(isWanted);
    if (asked.length > 0 && !sending.isEnded) push(asked);
  };

  function* send(block: Block): Steps<void> {
    sendWanted(yield* blockReceipts(block, compat, chain.ruleSet));
  }

  function* sendInserted(blocks: InsertedRange): Task<void> {
    for (const receipts of yield* waitFor(inserted.receipts(blocks))) sendWanted(receipts);
  }

  const stop = notifications.blocks.add((moved) => {
    if ('inserted' in moved) {
      sending.take(() => sendInserted(moved.inserted), false);
      return;
    }
    const { block, removed } = moved;
    if (removed) return;
    const isShort = block.transactions.length + logCountOf(block) <= RECEIPTS_AT_ONCE;
    sending.take(() => send(block), isShort);
  });
  return () => {
    sending.isEnded = true;
    stop();
  };
}

/**
 * Sends the events of the chain, after they are on disk if the chain is durable. Returns the function that
 * ends it. Calls `end` when the chain closes.
 */
function startSubscription(
  source: Source,
  kind: ChainSubscriptionKind,
  options: SubscriptionOptions,
  push: Push,
  end: () => void,
): () => void {
  const { chain } = source;
  const settled = chain.durability === null ? null : new DurableNotifier(chain.durability, push);
  const stopItems = startItems(source, kind, options, settled?.push ?? push);
  const stopWaiting = chain.events.on('closed', end);
  return () => {
    stopItems();
    stopWaiting();
    settled?.stop();
  };
}

function startItems(
  source: Source,
  kind: ChainSubscriptionKind,
  options: SubscriptionOptions,
  push: Push,
): () => void {
  const { chain, compat, notifications } = source;
  switch (kind) {
    case 'newHeads':
      return options.pace === null
        ? pushHeads(source, push)
        : pushNewestHead(source, options.pace.pause, push);
    case 'newPendingTransactions':
      return notifications.pendingTransactions.add((transaction) =>
        push(options.full ? transactionView(transaction, null, chain.ruleSet) : toHex(transaction.hash)),
      );
    case 'logs':
      return pushLogs(source, criteriaOf(options.logs, compat), push);
    case 'transactionReceipts':
      return pushReceipts(source, options.transactionHashes, push);
    case 'syncing':
      // A single node never syncs. The status is sent after the id of the subscription.
      if (compat.sendsSyncing) void nextIteration().then(() => push(false));
      return () => undefined;
  }
}

const subscriptionId = leaf('the id of a subscription', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

export const ETH_SUBSCRIPTIONS: readonly Method[] = [
  /**
   * Sends eth_subscription notifications until the subscription or the connection ends:
   *
   * - newHeads sends headers of new blocks.
   * - logs sends logs, with `removed` if their block left the chain.
   * - newPendingTransactions sends hashes, or full transactions if the second parameter is `true`.
   * - transactionReceipts sends one list per block.
   * - activity sends the entries of `--json` about the chain and all its lanes: requests, transactions,
   *   console output, removed blocks.
   *
   * A `pause` in milliseconds is for display clients. With it, newHeads sends only the newest head, at most
   * once per pause. Likewise, activity sends batches `{entries, omitted}` without the kinds in `except`. A
   * batch has at most `most` entries (20) plus the same number of failures. The others are counted by kind in
   * `omitted`.
   */
  defineMethod({
    name: 'eth_subscribe',
    summary:
      'Starts a subscription to new heads, logs, receipts, pending transactions or activity (WebSocket, IPC)',
    params: [
      param('kind', subscriptionKind),
      optional('options', subscriptionOptions, NO_SUBSCRIPTION_OPTIONS),
    ],
    result: { description: 'The id of the subscription', schema: { type: 'string' } },
    handler: (context, kind, options) => {
      const { chain } = context.node;
      const { subscriptions, activity, lanes, timers } = context.services;
      const { settings, connection } = context;
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
      const inserted = insertedBlocks(context);
      const start = (readBaseEvent: BaseEventReader): string => {
        const heads = { fieldNames, readBaseEvent };
        const source = { chain, compat, heads, timers, notifications, inserted };
        return subscriptions.add(connection, notify, (push, end) =>
          startSubscription(source, kind, options, push, end),
        );
      };
      return kind === 'newHeads' && fieldNames === 'native'
        ? baseEventReader(context).then(start)
        : start(null);
    },
  }),
  defineMethod({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription (WebSocket, IPC)',
    params: [param('subscription', subscriptionId)],
    result: { description: 'true if the subscription ended', schema: { type: 'boolean' } },
    handler: ({ connection, services: { subscriptions } }, id) => {
      requireNotify(connection, 'eth_unsubscribe');
      return subscriptions.remove(connection, id);
    },
  }),
];
