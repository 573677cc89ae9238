// The blocks of the tags `safe` and `finalized`: a fixed number of blocks below the head.

import type { CanonicalBlocks } from '../storage/canonical-blocks.ts';
import type { BlockSelector, BlockTag } from './block-selector.ts';
import type { ForkLink } from './chain-core.ts';
import type { ChainOptions } from './settings/chain-options.ts';

/** The parts of a core that decide which blocks are final. */
export interface FinalBlocks {
  readonly blockchain: CanonicalBlocks;
  readonly fork: Pick<ForkLink, 'base'>;
  readonly options: Pick<ChainOptions, 'slotsInAnEpoch'>;
}

/** Epochs between the head and the block of a tag. */
const EPOCHS: Readonly<Partial<Record<BlockTag, number>>> = { safe: 1, finalized: 2 };

/** Returns the number of blocks between the head and the block of a selector; 0 if the block is the head. */
export function depthOf(selector: BlockSelector, { options }: Pick<FinalBlocks, 'options'>): number {
  return 'tag' in selector ? (EPOCHS[selector.tag] ?? 0) * options.slotsInAnEpoch : 0;
}

/**
 * Returns the number of the block `depth` blocks below the head, or of the oldest block if the chain has fewer. On a
 * fork, it can be the number of a block of the forked chain.
 */
export function numberBelowHead({ blockchain, fork }: Omit<FinalBlocks, 'options'>, depth: number): number {
  const number = blockchain.head.block.header.number - depth;
  if (number >= blockchain.first) return number;
  const isUpstream = fork.base !== null && !blockchain.isPruned(number);
  return isUpstream ? Math.max(0, number) : blockchain.first;
}
