// Changes of blocks in one piece. Chains make these changes in several pieces.

import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { WorldState } from '../../src/state/world-state.ts';
import { encodeBlockRecord as encodeInSteps } from '../../src/storage/block-record.ts';
import type { BlockAndRange, BlockStorage } from '../../src/storage/block-storage.ts';
import type { Blockchain } from '../../src/storage/blockchain.ts';
import type { ChainEntry, EmptyBlockRange } from '../../src/storage/empty-block-range.ts';

export function append(
  blocks: Blockchain | BlockStorage,
  block: Block,
  state: WorldState,
  range: EmptyBlockRange | null = null,
): void {
  finish(blocks.append({ block, state, range }));
}

export function restart(blockchain: Blockchain, first: Block, state: WorldState): readonly Block[] {
  return finish(blockchain.restart(first, state));
}

export function rewind(blockchain: Blockchain, number: number): readonly Block[] {
  return finish(blockchain.rewind(number));
}

export function become(blockchain: Blockchain, other: Blockchain): readonly Block[] {
  return finish(blockchain.become(other));
}

export function encodeBlockRecord(block: Block): Uint8Array {
  return finish(encodeInSteps(block));
}

/** Removes the entries, highest first. */
export function remove(
  storage: BlockStorage,
  entries: readonly ChainEntry[],
  replacement: BlockAndRange | null = null,
): void {
  const removal = finish(storage.removal(entries));
  storage.remove(removal, replacement);
}
