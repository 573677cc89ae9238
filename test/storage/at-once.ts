// Changes of blocks at once, which chains make in pieces.

import type { Block } from '../../src/protocol/block.ts';
import { inOnePiece } from '../../src/scheduling/work-pieces.ts';
import type { WorldState } from '../../src/state/world-state.ts';
import { encodeBlockRecordInPieces } from '../../src/storage/block-record.ts';
import type { BlockAndRange, BlockStorage } from '../../src/storage/block-storage.ts';
import type { Blockchain } from '../../src/storage/blockchain.ts';
import type { ChainEntry, ReservedRange } from '../../src/storage/reserved-range.ts';

export function append(
  blocks: Blockchain | BlockStorage,
  block: Block,
  state: WorldState,
  range: ReservedRange | null = null,
): void {
  inOnePiece((pieces) => blocks.appendInPieces({ block, state, range }, pieces));
}

export function restart(blockchain: Blockchain, first: Block, state: WorldState): readonly Block[] {
  return inOnePiece((pieces) => blockchain.restartInPieces(first, state, pieces));
}

export function rewind(blockchain: Blockchain, number: number): readonly Block[] {
  return inOnePiece((pieces) => blockchain.rewindInPieces(number, pieces));
}

export function become(blockchain: Blockchain, other: Blockchain): readonly Block[] {
  return inOnePiece((pieces) => blockchain.becomeInPieces(other, pieces));
}

export function encodeBlockRecord(block: Block): Uint8Array {
  return inOnePiece((pieces) => encodeBlockRecordInPieces(block, pieces));
}

/** Removes the entries, highest first. */
export function remove(
  storage: BlockStorage,
  entries: readonly ChainEntry[],
  replacement: BlockAndRange | null = null,
): void {
  const removal = inOnePiece((pieces) => storage.removalInPieces(entries, pieces));
  storage.remove(removal, replacement);
}
