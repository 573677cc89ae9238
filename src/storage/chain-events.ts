import type { ConsoleRecord } from '../evm/console/console-record.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** What comes in the place of blocks that left the chain: others, told of next, or none, so that the head is a lower one. */
export type Successors = 'others follow' | 'none';

/** What a chain tells those who listen, and the arguments that come with it. */
export interface ChainEventMap {
  /** A block became the head; the results are those of its transactions, in order, `null` for a block made elsewhere. */
  block: readonly [block: Block, results: readonly ExecutionResult[] | null];
  /** Blocks left the chain, the highest first; `successors` tells whether others come in their place. */
  removed: readonly [blocks: readonly Block[], successors: Successors];
  /** A transaction entered the pool and can be mined. */
  pendingTransaction: readonly [transaction: Transaction];
  /** A call that changes nothing told the console of contracts something. What transactions tell it is in their results. */
  console: readonly [record: ConsoleRecord];
  /** Something that was asked for was done in part only; the text says so to the person who looks at the log. */
  notice: readonly [text: string];
  /** The chain is gone, and nothing more will happen to it. */
  closed: readonly [];
}

type Listener<Name extends keyof ChainEventMap> = (...details: ChainEventMap[Name]) => void;

/** Passes on what happens to a chain, in the order it happens, before the caller goes on. */
export class ChainEvents {
  readonly #listeners: { [Name in keyof ChainEventMap]: Set<Listener<Name>> } = {
    block: new Set(),
    removed: new Set(),
    pendingTransaction: new Set(),
    console: new Set(),
    notice: new Set(),
    closed: new Set(),
  };

  /** Calls `listener` at each event of that name until the function it returns is called. */
  on<Name extends keyof ChainEventMap>(name: Name, listener: Listener<Name>): () => void {
    const listeners: Set<Listener<Name>> = this.#listeners[name];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Tells the listeners. A listener must not throw. */
  emit<Name extends keyof ChainEventMap>(name: Name, ...details: ChainEventMap[Name]): void {
    for (const listener of this.#listeners[name]) listener(...details);
  }
}
