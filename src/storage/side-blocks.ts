import type { ExecutionResult } from '../evm/engine.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';

/** A block with the state after it, on the chain or beside it. */
export interface SideBlock {
  readonly block: Block;
  readonly state: WorldState;
  /** How its transactions ran, in order; `null` where that is not known any more. */
  readonly results: readonly ExecutionResult[] | null;
}

/** With no difficulty to speak of a miner can make as many as it likes; beyond, the oldest give way. */
const MOST_SIDE_BLOCKS = 256;

/**
 * Valid blocks beside the chain: those that lost against others of the same height. They can become uncles while they are
 * few enough generations below the head, or part of the chain after all, and are found by their hashes.
 */
export class SideBlocks {
  /** By hash, in the order in which they came. */
  readonly #blocks = new Map<string, SideBlock>();
  #version = 0;

  /** Changes whenever the blocks do. */
  get version(): number {
    return this.#version;
  }

  /** The blocks, in the order in which they came. */
  get blocks(): readonly Block[] {
    return this.#blocks.size === 0 ? NO_BLOCKS : Array.from(this.#blocks.values(), ({ block }) => block);
  }

  /** The block with that hash, or `undefined`. */
  get(hash: Uint8Array): SideBlock | undefined {
    return this.#blocks.size === 0 ? undefined : this.#blocks.get(hexKey(hash));
  }

  /** Keeps blocks beside the chain. */
  keep(blocks: readonly SideBlock[]): void {
    for (const side of blocks) this.#blocks.set(hexKey(side.block.hash), side);
    for (const key of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_SIDE_BLOCKS) break;
      this.#blocks.delete(key);
    }
    this.#version++;
  }

  /** Forgets all blocks; gives them. */
  clear(): readonly SideBlock[] {
    const blocks = Array.from(this.#blocks.values());
    this.#blocks.clear();
    this.#version++;
    return blocks;
  }
}

const NO_BLOCKS: readonly Block[] = [];
