import type { BlockEnvironment, ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Overlay } from '../../state/overlay.ts';

/** How each block ends where a transaction of the network's own ends it, which no engine runs. */
export interface BlockClosing {
  /** 20 bytes: who gets the fees of the block's other transactions, in place of the coinbase. */
  readonly feeRecipient: Uint8Array;
  /** The transaction that ends the block with that number. */
  transaction(number: number): Transaction;
  /**
   * Does on `state` what the transaction does in that block. The observer is told of it as of any execution. Throws
   * `StateElsewhere` when something of the state must be fetched first; `state` is of no use then.
   */
  run(environment: BlockEnvironment, state: Overlay, observer?: ExecutionObserver): ExecutionResult;
}
