import type { ExecutionResult } from '../evm/engine.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { Blockchain } from './blockchain.ts';

/** A canonical or side block with the state after it. */
export interface SideBlock {
  readonly block: Block;
  readonly state: WorldState;
  /** The results of its transactions, in order; `null` if no longer known. */
  readonly results: readonly ExecutionResult[] | null;
  /** True for a block that a client replaced without work. It is found by hash, but is no uncle later. */
  readonly isReplaced?: boolean;
}

/** Maximum number of side blocks. Low difficulty and clients can create many; the oldest are evicted. */
const MAX_SIDE_BLOCKS = 256;

/**
 * Valid side blocks, which lost to other blocks of the same height. They are found by hash. They can become
 * uncles for a few generations, or canonical blocks after all.
 */
export class SideBlocks {
  /** By hash, in order of arrival. */
  readonly #blocks = new Map<string, SideBlock>();
  /** Changes with every change of the blocks. */
  version = 0;

  /** All side blocks, in order of arrival. */
  get all(): readonly SideBlock[] {
    return this.#blocks.size === 0 ? NO_BLOCKS : Array.from(this.#blocks.values());
  }

  /** The blocks that may be uncles of later blocks. */
  get competitors(): readonly Block[] {
    return this.#blocks.size === 0
      ? NONE
      : this.all.flatMap(({ block, isReplaced }) => (isReplaced === true ? [] : [block]));
  }

  get(hash: Uint8Array): SideBlock | undefined {
    return this.#blocks.size === 0 ? undefined : this.#blocks.get(hexKey(hash));
  }

  keep(blocks: readonly SideBlock[]): void {
    for (const side of blocks) this.#blocks.set(hexKey(side.block.hash), side);
    for (const key of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_SIDE_BLOCKS) break;
      this.#blocks.delete(key);
    }
    this.version++;
  }

  /** Removes all side blocks and returns them. */
  clear(): readonly SideBlock[] {
    const blocks = this.all;
    this.#blocks.clear();
    this.version++;
    return blocks;
  }
}

const NO_BLOCKS: readonly SideBlock[] = [];
const NONE: readonly Block[] = [];

/**
 * Reads the states after the newest blocks above `common`, at most the maximum number of side blocks. Returns
 * a function that converts the removed blocks (in any order) to side blocks, lowest first. Reserved blocks
 * are omitted, because their hash is not a header's hash.
 */
export function sideBlocksAbove(
  blockchain: Blockchain,
  common: number,
): (removed: readonly Block[]) => SideBlock[] {
  const last = blockchain.head.block.header.number;
  const states = new Map<number, WorldState>();
  for (const number of blockchain.unreserved(Math.max(common, last - MAX_SIDE_BLOCKS) + 1, last)) {
    states.set(number, blockchain.state(number));
  }
  return (removed) =>
    removed
      .flatMap((block): SideBlock[] => {
        const state = states.get(block.header.number);
        return state === undefined ? [] : [{ block, state, results: null }];
      })
      .sort((left, right) => left.block.header.number - right.block.header.number);
}
