// The events of a chain that subscriptions, filters and logs listen to.

import type { ConsoleRecord } from '../evm/console/console-record.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** The replacement of removed blocks: others, which are reported next, or none, so that the head is lower. */
export type Successors = 'others follow' | 'none';

/**
 * The call of a client that something on a chain is part of. It is passed along with the work, and compared by identity:
 * the log finds by it which call made a block, removed one, or wrote to the console of contracts.
 */
export interface CallToken {
  /** The name of the method, as the client wrote it. */
  readonly method: string;
  /** True when the client has its answer. Anything that the call does afterwards belongs to no answer. */
  readonly isAnswered: boolean;
}

/** The events of a chain and their arguments. The call is `null` where the chain acts by itself. */
export interface ChainEventMap {
  /**
   * A block became the head. The results are those of its transactions, in order; `null` for a block made elsewhere.
   */
  block: readonly [block: Block, results: readonly ExecutionResult[] | null, call: CallToken | null];
  /** Blocks were removed from the chain, the highest first; `successors` says whether others replace them. */
  removed: readonly [blocks: readonly Block[], successors: Successors, call: CallToken | null];
  /** A transaction that can be mined entered the pool. */
  pendingTransaction: readonly [transaction: Transaction];
  /** A read-only call wrote to the console of contracts. The output of transactions is in their results. */
  console: readonly [record: ConsoleRecord, call: CallToken | null];
  /** A request was carried out only in part; the text explains it to readers of the log. */
  notice: readonly [text: string];
  /** The chain was closed, and emits no further events. */
  closed: readonly [];
}

type Listener<Name extends keyof ChainEventMap> = (...details: ChainEventMap[Name]) => void;

/** Emits the events of a chain in their order, synchronously. */
export class ChainEvents {
  readonly #listeners: { [Name in keyof ChainEventMap]: Set<Listener<Name>> } = {
    block: new Set(),
    removed: new Set(),
    pendingTransaction: new Set(),
    console: new Set(),
    notice: new Set(),
    closed: new Set(),
  };

  /** Calls `listener` at each event of that name until the returned function is called. */
  on<Name extends keyof ChainEventMap>(name: Name, listener: Listener<Name>): () => void {
    const listeners: Set<Listener<Name>> = this.#listeners[name];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Calls the listeners. A listener must not throw. */
  emit<Name extends keyof ChainEventMap>(name: Name, ...details: ChainEventMap[Name]): void {
    for (const listener of this.#listeners[name]) listener(...details);
  }
}
