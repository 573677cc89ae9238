// The chain events for subscribers. All subscribers of an event share one notification.

import type { Chain } from '../chain/chain.ts';
import type { InsertedRange } from '../chain/filters/filters.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { Fanout, NotificationQueue } from '../scheduling/notification-queue.ts';
import type { WorldState } from '../state/world-state.ts';
import { headView } from '../wire/block.ts';
import type { FieldNames } from '../wire/header.ts';
import type { ActivityEntry, ActivityFeed, ActivityScope } from './activity.ts';

/** A block that was added to the chain, or removed from it. */
interface MovedBlock {
  readonly block: Block;
  readonly removed: boolean;
}

/** Added and removed blocks. The content of blocks of the forked chain must be read from there. */
export type MovedBlocks = MovedBlock | { readonly inserted: InsertedRange };

/** A block that became the head. */
export interface NewHead {
  readonly block: Block;
  /** The state after the block. */
  readonly state: WorldState;
  /** The JSON form, without `baseEvent`. */
  readonly view: ReturnType<typeof headView>;
}

/** The notifications of one chain, sent in the order of its events. */
export class ChainNotifications {
  /** The head after each change: the blocks of a new branch, or the new head after a revert. */
  readonly heads: Fanout<NewHead>;
  /** Added blocks, and removed blocks from the oldest. */
  readonly blocks: Fanout<MovedBlocks>;
  readonly pendingTransactions: Fanout<Transaction>;
  readonly #queue: NotificationQueue;
  readonly #activity: ActivityFeed;
  /** By scope. */
  readonly #activities = new Map<string, Fanout<ActivityEntry>>();

  constructor(chain: Chain, activity: ActivityFeed, fieldNames: FieldNames) {
    const { events } = chain;
    const queue = new NotificationQueue(chain);
    this.#queue = queue;
    this.#activity = activity;
    // The chain's state is this block's state only now.
    const newHead = (block: Block): NewHead => ({
      block,
      state: chain.headState(),
      view: headView(block, fieldNames),
    });
    this.heads = new Fanout(queue, (take) => {
      const stopBlocks = events.on('block', (block) => take(newHead(block)));
      const stopRemoved = events.on('removed', (_blocks, successors) => {
        if (successors === 'none') take(newHead(chain.head()));
      });
      const stopInserted = events.on('inserted', (blocks) => {
        for (const block of blocks) take(newHead(block));
      });
      return () => {
        stopBlocks();
        stopRemoved();
        stopInserted();
      };
    });
    this.blocks = new Fanout(queue, (take) => {
      const stopBlocks = events.on('block', (block) => take({ block, removed: false }));
      const stopRemoved = events.on('removed', (blocks) => {
        for (const block of blocks.toReversed()) take({ block, removed: true });
      });
      const stopInserted = events.on('inserted', (blocks) => {
        const [first, last] = [blocks[0], blocks.at(-1)];
        if (first === undefined || last === undefined) return;
        take({ inserted: { from: first.header.number, to: last.header.number } });
      });
      return () => {
        stopBlocks();
        stopRemoved();
        stopInserted();
      };
    });
    this.pendingTransactions = new Fanout(queue, (take) => events.on('pendingTransaction', take));
  }

  /** Calls `send` with each activity of the scope (`null` for all). Returns a function that stops it. */
  onActivity(scope: ActivityScope | null, send: (entry: ActivityEntry) => void): () => void {
    const key = JSON.stringify(scope);
    const known = this.#activities.get(key);
    const entries = known ?? new Fanout(this.#queue, (take) => this.#activity.watch(take, scope));
    if (known === undefined) this.#activities.set(key, entries);
    return entries.add(send);
  }
}
