import { compareBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Block, BlockHeader } from './block.ts';
import { headerHash } from './header-encoding.ts';

/** A block that pays more than so many times the fees of another wins over it. */
const DECISIVE_FEES = 2n;

/**
 * Returns true when a block that arrives takes the place of the head: with more difficulty behind it; with as much, when it pays
 * more than twice the fees of the head, or more than half of them and has the lower hash. So of two blocks without fees
 * the first stays. (The network's selection rule: `SelectionRule` of its reference node.)
 */
export function prefersNewcomer(newcomer: Block, head: Block): boolean {
  if (newcomer.totalDifficulty !== head.totalDifficulty) {
    return newcomer.totalDifficulty > head.totalDifficulty;
  }
  const [fees, headFees] = [newcomer.header.paidFees, head.header.paidFees];
  if (fees > DECISIVE_FEES * headFees) return true;
  return headFees < DECISIVE_FEES * fees && compareBytes(newcomer.hash, head.hash) < 0;
}

/** Most uncles of a block (the network's uncle list limit). */
const MOST_UNCLES = 10;
/** The most blocks that an uncle may be below the block that includes it (the network's uncle generation limit). */
const MOST_GENERATIONS = 7;

const NO_UNCLES: readonly BlockHeader[] = [];

/** Orders blocks so that those that can be included for the shortest time come first. */
function byUrgency(left: Block, right: Block): number {
  return left.header.number - right.header.number || compareBytes(left.hash, right.hash);
}

/**
 * Returns the uncles of a block with that number: of the candidates those that are no ancestors of it but whose parents are, few
 * enough generations below, and that no ancestor includes. `ancestor` gives the block with a number below, where it is
 * at hand.
 */
export function selectUncles(
  candidates: readonly Block[],
  number: number,
  ancestor: (number: number) => Block | undefined,
): readonly BlockHeader[] {
  const lowest = Math.max(1, number - MOST_GENERATIONS);
  const ofAge = candidates.filter(({ header }) => header.number >= lowest && header.number < number);
  if (ofAge.length === 0) return NO_UNCLES;
  const parents = new Set<string>();
  const excluded = new Set<string>();
  // Further down there are no parents of theirs, and no block that could include them.
  const first = ofAge.reduce((least, { header }) => Math.min(least, header.number), number) - 1;
  for (let height = first; height < number; height++) {
    const block = ancestor(height);
    // Blocks below a fork have no descendants here but the chain's own.
    if (block === undefined) continue;
    parents.add(hexKey(block.hash));
    excluded.add(hexKey(block.hash));
    for (const uncle of block.uncles) excluded.add(hexKey(headerHash(uncle, 'network')));
  }
  return ofAge
    .filter(({ header, hash }) => parents.has(hexKey(header.parentHash)) && !excluded.has(hexKey(hash)))
    .sort(byUrgency)
    .slice(0, MOST_UNCLES)
    .map(({ header }) => header);
}
