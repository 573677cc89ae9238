/** The interface of measures, which receive the blocks with transactions of a node and its lanes. */

import type { Chain } from '../chain/chain.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { Block } from '../protocol/block.ts';

/** A chain whose transactions are measured. */
export interface MeasuredChain {
  readonly chain: Chain;
  /** Knows the contracts of the chain. */
  readonly inspector: LazyInspector;
  /** The name that the lane has now; `null` for the base chain and for forks of a node in process. */
  readonly lane: string | null;
}

/** A measure of transactions. */
export interface Meter {
  /** True for one that looks at the frames of the results. */
  readonly needsFrames: boolean;
  /**
   * Called when a block with transactions became the head; `results` are those of its transactions. The call that sent them is
   * answered only when this returns, so that it must take microseconds: whatever takes longer belongs into a later turn.
   */
  onBlock(block: Block, results: readonly ExecutionResult[], on: MeasuredChain): void;
  /** Called when a lane has another name: what was measured under the old one was on that lane, and is reported under the new one. */
  onRename(from: string, to: string): void;
}
