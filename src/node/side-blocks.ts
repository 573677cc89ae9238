import type { ExecutionResult } from '../engine/engine.ts';
import { MOST_GENERATIONS } from '../mining/uncles.ts';
import { keyOf } from '../primitives/hex.ts';
import type { Block } from '../rules/block.ts';
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
 * Valid blocks beside the chain: those that lost against others of the same height. They can become uncles, or part of the
 * chain after all, until they are too many generations below the head.
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
    return this.#blocks.get(keyOf(hash));
  }

  /** Keeps blocks beside a chain whose head has that number. */
  keep(blocks: readonly SideBlock[], headNumber: number): void {
    for (const side of blocks) this.#blocks.set(keyOf(side.block.hash), side);
    for (const [key, { block }] of this.#blocks) {
      const isTooMany = this.#blocks.size > MOST_SIDE_BLOCKS;
      if (isTooMany || block.header.number < headNumber - MOST_GENERATIONS) this.#blocks.delete(key);
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
