// The changes of a chain: one at a time, each with the call that it is part of, and the events that report them.

import type { ConsoleRecord } from '../evm/console.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { Awaitable } from '../scheduling/task.ts';
import { fetchingState } from '../state/state-source.ts';
import type { HeldCall } from './call-site.ts';

/** The replacement of removed blocks: others, which are reported next, or none, so that the head is lower. */
export type Successors = 'others follow' | 'none';

/**
 * The call of a client that something on a chain is part of. It is passed along with the work, and compared by identity:
 * the log finds by it which call made a block, removed one, or wrote to the console of contracts.
 */
export interface CallToken {
  /** The name of the method, as the client wrote it. */
  readonly method: string;
  /** The API key that the call belongs to, if keys are tenants of their own; absent otherwise. */
  readonly owner?: string | undefined;
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
  /** A read-only call, or the first run of an estimate, failed. */
  failedCall: readonly [held: HeldCall, result: ExecutionResult, call: CallToken | null];
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
    failedCall: new Set(),
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

/** A place in the queue. */
interface Place {
  /** Resolves when all tasks before it are done, or have given way. */
  readonly before: Promise<void>;
  /** Lets the next one begin. */
  readonly leave: () => void;
}

/** Runs tasks one at a time, in the order they came. */
export class SerialQueue {
  readonly #settle: (() => Promise<void>) | null;
  #last: Promise<void> = Promise.resolve();
  /** Lets the task behind the one that runs begin. */
  #leave: () => void = () => undefined;
  #call: CallToken | null = null;
  #held: Promise<void> | undefined;

  /**
   * `settle` runs when a task is done or has failed, before its promise settles, and again before the next task begins, in
   * case it failed then. When it rejects, so does the task, which has not begun if that happened before it.
   */
  constructor(settle: (() => Promise<void>) | null = null) {
    this.#settle = settle;
  }

  /** The call that the running task is part of; `null` for none. */
  get call(): CallToken | null {
    return this.#call;
  }

  /** Lets no task begin until the promise has resolved. */
  hold(until: Promise<void>): void {
    const held = until.then(() => {
      if (this.#held === held) this.#held = undefined;
    });
    this.#held = held;
  }

  /** Resolves when tasks may begin; `undefined` if they may now. A task that makes many changes waits for it between them. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  /**
   * Runs `task`, which is part of `call`, when all tasks before it are done; returns its result. A task that fails does not
   * stop the next. One that needs state that has to be fetched is begun again when that has come, so it must read state
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
      // A task that gave way has another place now than the one that it began in.
      this.#leave();
    };
    result.then(end, end);
    return result;
  }

  /**
   * Called by the running task: lets others run until `until` resolves, and goes on behind those that wait by then. The
   * changes of the task so far count as done, and anything may be different afterwards. Rejects as `settle` does.
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
