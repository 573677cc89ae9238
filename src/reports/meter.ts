/** The interface of meters. They receive the blocks with transactions of a node and its lanes. */

import type { Chain } from '../chain/chain.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { Block } from '../protocol/block.ts';

export interface MeasuredChain {
  readonly chain: Chain;
  /** The inspector of the chain's contracts. */
  readonly inspector: LazyInspector;
  /** The lane's current name; `null` for the base chain and for forks of an in-process node. */
  readonly lane: string | null;
}

export interface Meter {
  /** True if the meter reads the frames of the results. */
  readonly needsFrames: boolean;
  /**
   * Called after a block with transactions becomes the head; `results` are the results of its transactions.
   * The response to the client waits for this call, so it must return within microseconds. Longer work must
   * run later.
   */
  onBlock(block: Block, results: readonly ExecutionResult[], on: MeasuredChain): void;
  /** Called after a lane is renamed. Earlier measurements of the lane are then reported by the new name. */
  onRename(from: string, to: string): void;
}
