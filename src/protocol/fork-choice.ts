import { compareBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block, BlockHeader } from './block.ts';
import { headerHash } from './header-encoding.ts';

/** A block wins if it pays more than this multiple of the other block's fees. */
const DECISIVE_FEES = 2n;

/**
 * Returns true if an arriving block replaces the head (`SelectionRule` in rskj). It wins with a higher total
 * difficulty. With an equal total difficulty, it wins with more than twice the fees, or with more than half
 * of the fees and the lower hash. Between two blocks without fees, the first stays.
 */
export function prefersNewcomer(newcomer: Block, head: Block): boolean {
  if (newcomer.totalDifficulty !== head.totalDifficulty) {
    return newcomer.totalDifficulty > head.totalDifficulty;
  }
  const [fees, headFees] = [newcomer.header.paidFees, head.header.paidFees];
  if (fees > DECISIVE_FEES * headFees) return true;
  return headFees < DECISIVE_FEES * fees && compareBytes(newcomer.hash, head.hash) < 0;
}

/** Maximum number of uncles of a block (rskj's uncle list limit). */
const MAX_UNCLES = 10;
/** Maximum generations between an uncle and the block that includes it (rskj's uncle generation limit). */
const MAX_GENERATIONS = 7;

const NO_UNCLES: readonly BlockHeader[] = [];

/** Sorts blocks that expire first to the front. */
function byUrgency(left: Block, right: Block): number {
  return left.header.number - right.header.number || compareBytes(left.hash, right.hash);
}

/**
 * Returns the uncles of a block with this number. An uncle is a candidate whose parent is an ancestor of the
 * block, within {@link MAX_GENERATIONS}. It is neither an ancestor nor included by one. `ancestor` returns a
 * lower block if available.
 */
export function selectUncles(
  candidates: readonly Block[],
  number: number,
  ancestor: (number: number) => Block | undefined,
): readonly BlockHeader[] {
  const lowest = Math.max(1, number - MAX_GENERATIONS);
  const ofAge = candidates.filter(({ header }) => header.number >= lowest && header.number < number);
  if (ofAge.length === 0) return NO_UNCLES;
  const parents = new Set<string>();
  const excluded = new Set<string>();
  // Lower blocks are neither parents of these candidates nor able to include them.
  const first = ofAge.reduce((least, { header }) => Math.min(least, header.number), number) - 1;
  for (let height = first; height < number; height++) {
    const block = ancestor(height);
    // Blocks below a fork have only this chain's blocks as descendants.
    if (block === undefined) continue;
    parents.add(hexKey(block.hash));
    excluded.add(hexKey(block.hash));
    for (const uncle of block.uncles) excluded.add(hexKey(headerHash(uncle, 'network')));
  }
  return ofAge
    .filter(({ header, hash }) => parents.has(hexKey(header.parentHash)) && !excluded.has(hexKey(hash)))
    .sort(byUrgency)
    .slice(0, MAX_UNCLES)
    .map(({ header }) => header);
}
