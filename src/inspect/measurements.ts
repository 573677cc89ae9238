/** What is measured of all transactions that run on a node and its lanes, whatever becomes of their blocks: for reports at its end. */

import type { Chain } from '../chain/chain.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import type { LazyInspector } from './lazy-inspector.ts';

/** A chain whose transactions are measured. */
export interface MeasuredChain {
  readonly chain: Chain;
  /** Knows the contracts of the chain. */
  readonly inspector: LazyInspector;
  /** The name of the lane; `null` for the base chain and for forks of a node in process. */
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
}

/**
 * The measures of a node. The composition root makes them once, and has them follow the base chain and each lane from its
 * beginning. A measure belongs to no chain: a revert, a reset or the end of a lane takes nothing away from it.
 */
export class Measurements {
  readonly #meters: readonly Meter[];

  constructor(meters: readonly Meter[]) {
    this.#meters = meters;
  }

  /** True where the chains are to keep the frames of what they run, see `ExecutionResult.frames`. */
  get needsFrames(): boolean {
    return this.#meters.some((meter) => meter.needsFrames);
  }

  /** Measures the transactions of the chain from now on. */
  follow(on: MeasuredChain): void {
    const meters = this.#meters;
    if (meters.length === 0) return;
    on.chain.events.on('block', (block, results) => {
      // Blocks that were loaded did not run here.
      if (results === null || results.length === 0) return;
      for (const meter of meters) meter.onBlock(block, results, on);
    });
  }
}
