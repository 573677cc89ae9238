import type { ExecutionResult } from '../evm/engine.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { Blockchain } from './blockchain.ts';

/** A block with the state after it, on the chain or beside it. */
export interface SideBlock {
  readonly block: Block;
  readonly state: WorldState;
  /** The results of its transactions, in order; `null` where that is not known any more. */
  readonly results: readonly ExecutionResult[] | null;
  /**
   * True for one that a caller of the node had replaced by another, which no work has beaten: it is found by its hash, and is no
   * uncle of a later block.
   */
  readonly isReplaced?: boolean;
}

/** With no difficulty to speak of a miner can make as many as it likes, and a caller can replace all; beyond, the oldest give way. */
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

  /** All of them, in the order in which they came. */
  get all(): readonly SideBlock[] {
    return this.#blocks.size === 0 ? NO_BLOCKS : Array.from(this.#blocks.values());
  }

  /** The blocks that may be uncles of later blocks. */
  get competitors(): readonly Block[] {
    return this.all.flatMap(({ block, isReplaced }) => (isReplaced === true ? [] : [block]));
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
    const blocks = this.all;
    this.#blocks.clear();
    this.#version++;
    return blocks;
  }
}

const NO_BLOCKS: readonly SideBlock[] = [];

/**
 * Reads the states after the newest blocks of the chain above the one with that number, as many as are kept beside the chain, and
 * returns what makes side blocks, lowest first, of the blocks once they are removed, in any order: no block is read for it.
 * Without reserved blocks, which are no use beside the chain, since their hash is not that of a header.
 */
export function sideBlocksAbove(
  blockchain: Blockchain,
  common: number,
): (removed: readonly Block[]) => SideBlock[] {
  const last = blockchain.head.header.number;
  const states = new Map<number, WorldState>();
  for (const number of blockchain.unreserved(Math.max(common, last - MOST_SIDE_BLOCKS) + 1, last)) {
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
