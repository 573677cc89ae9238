// The changes of a chain run one at a time. Each is attributed to a client call, and events report it.

import type { ConsoleRecord } from '../evm/console.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { fetchingState } from '../state/state-source.ts';
import type { RecordedCall } from './call-environment.ts';

/**
 * The blocks that are reported next, after removed ones.
 *
 * - `others follow`: their replacements.
 * - `same blocks`: inserted blocks of the forked chain, and then the removed local blocks again.
 * - `restored`: all local blocks on another block of the forked chain.
 * - `none`: no blocks, because the head only moves down.
 */
export type Successors = 'others follow' | 'same blocks' | 'restored' | 'none';

/**
 * The client call that caused some work. It is passed along with the work and compared by identity. The log
 * uses it to find the call that mined a block, removed a block, or printed with `console.log`.
 */
export interface CallToken {
  /** Method name as sent by the client. */
  readonly method: string;
  /** API key of the call if each key is a separate tenant; absent otherwise. */
  readonly owner?: string | undefined;
  /** True after the response was sent. Later effects of the call do not belong to a response. */
  readonly isAnswered: boolean;
}

export interface InsertionFacts {
  /** The number of the first inserted block. */
  readonly first: number;
  /** True if blocks of the forked chain were replaced. */
  readonly isReorganization: boolean;
  /** The number of local blocks above. */
  readonly localBlocks: number;
}

/** The events of a chain and their arguments. The call is `null` for work of the chain itself. */
export interface ChainEventMap {
  /** A block became the head. Results are in transaction order, or `null` for an imported block. */
  block: readonly [block: Block, results: readonly ExecutionResult[] | null, call: CallToken | null];
  /** Blocks were removed, highest first. `successors` shows if other blocks replace them. */
  removed: readonly [blocks: readonly Block[], successors: Successors, call: CallToken | null];
  /**
   * Blocks of the forked chain were inserted below the local blocks, lowest first: the newest ones of a long range.
   * They have no transactions and receipts. The next events report the local blocks above them.
   */
  inserted: readonly [blocks: readonly Block[], facts: InsertionFacts];
  /** An executable transaction entered the pool. */
  pendingTransaction: readonly [transaction: Transaction];
  /** A read-only call used `console.log`. Transactions carry their output in the result. */
  console: readonly [record: ConsoleRecord, call: CallToken | null];
  /** A read-only call, or the first run of an estimate, failed. */
  failedCall: readonly [held: RecordedCall, result: ExecutionResult, call: CallToken | null];
  /** A read-only call, or the first run of an estimate, ended with any outcome. */
  executedCall: readonly [held: RecordedCall, result: ExecutionResult, call: CallToken | null];
  /** A request was executed only in part. The text explains this in the log. */
  notice: readonly [text: string];
  /** The chain was closed. No events follow. */
  closed: readonly [];
}

type Listener<Name extends keyof ChainEventMap> = (...details: ChainEventMap[Name]) => void;

/** Emits the events of a chain in order, synchronously. */
export class ChainEvents {
  readonly #listeners: { [Name in keyof ChainEventMap]: Set<Listener<Name>> } = {
    block: new Set(),
    removed: new Set(),
    inserted: new Set(),
    pendingTransaction: new Set(),
    console: new Set(),
    failedCall: new Set(),
    executedCall: new Set(),
    notice: new Set(),
    closed: new Set(),
  };

  /** Subscribes to an event. Call the returned function to unsubscribe. */
  on<Name extends keyof ChainEventMap>(name: Name, listener: Listener<Name>): () => void {
    const listeners: Set<Listener<Name>> = this.#listeners[name];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Calls the listeners, which must not throw. */
  emit<Name extends keyof ChainEventMap>(name: Name, ...details: ChainEventMap[Name]): void {
    for (const listener of this.#listeners[name]) listener(...details);
  }
}

interface Place {
  /** Resolves when all earlier tasks have finished or yielded. */
  readonly before: Promise<void>;
  /** Lets the next task start. */
  readonly leave: () => void;
}

/** Runs tasks one at a time, in the order of arrival. */
export class SerialQueue {
  readonly #settle: (() => Promise<void>) | null;
  #last: Promise<void> = Promise.resolve();
  /** Lets the task after the running one start. */
  #leave: () => void = () => undefined;
  #call: CallToken | null = null;
  #held: Promise<void> | undefined;

  /**
   * `settle` runs after every task, whether it succeeded or failed, before the task's promise settles. It
   * runs again before the next task starts, to retry a failed run. A rejection rejects the task too. A task
   * that has not started yet is then skipped.
   */
  constructor(settle: (() => Promise<void>) | null = null) {
    this.#settle = settle;
  }

  /** The call that the running task belongs to, or `null`. */
  get call(): CallToken | null {
    return this.#call;
  }

  /** Starts no task until the promise resolves. */
  hold(until: Promise<void>): void {
    const held = until.then(() => {
      if (this.#held === held) this.#held = undefined;
    });
    this.#held = held;
  }

  /**
   * Resolves when tasks may start; `undefined` if they may start now. Long tasks await it between changes.
   */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  /**
   * Runs `task` for `call` after all earlier tasks and returns its result. A failed task does not stop later
   * tasks. A task that needs remote state restarts when the state has arrived. Therefore it must read state
   * before it changes anything.
   */
  run<Result>(task: () => Awaitable<Result>, call: CallToken | null = null): Promise<Result> {
    const settle = this.#settle;
    const { before, leave } = this.#lineUp();
    const begin = (): Awaitable<Result> => {
      this.#leave = leave;
      this.#call = call;
      return settle === null ? fetchingState(task) : runSettled(() => fetchingState(task), settle);
    };
    const result = before.then(() => this.#held?.then(begin) ?? begin());
    const end = (): void => {
      this.#call = null;
      // A task that yielded now has a later place than at its start.
      this.#leave();
    };
    result.then(end, end);
    return result;
  }

  /**
   * Called by the running task: lets other tasks run until `until` resolves, then waits behind the tasks
   * queued so far. Earlier changes of the task are committed, and the chain may have changed afterwards.
   * Rejects as `settle` does.
   */
  async yieldTo(until: Promise<unknown>): Promise<void> {
    const call = this.#call;
    await this.#settle?.();
    this.#leave();
    try {
      await until;
    } finally {
      const { before, leave } = this.#lineUp();
      await before;
      this.#leave = leave;
      this.#call = call;
    }
    await this.#settle?.();
  }

  #lineUp(): Place {
    const before = this.#last;
    let leave: () => void = () => undefined;
    this.#last = new Promise((resolve) => {
      leave = resolve;
    });
    return { before, leave };
  }
}

async function runSettled<Result>(
  task: () => Awaitable<Result>,
  settle: () => Promise<void>,
): Promise<Result> {
  await settle();
  try {
    return await task();
  } finally {
    await settle();
  }
}
