import { compareBytes } from '../primitives/bytes.ts';
import type { Block } from '../rules/block.ts';

/** A block that pays more than so many times the fees of another wins over it. */
const DECISIVE_FEES = 2n;

/**
 * True when a block that arrives takes the place of the head: with more difficulty behind it; of two with as much, the one
 * that pays more than twice the fees of the other, or else the one with the lower hash (the network's selection rule).
 */
export function prefersNewcomer(newcomer: Block, head: Block): boolean {
  if (newcomer.totalDifficulty !== head.totalDifficulty) {
    return newcomer.totalDifficulty > head.totalDifficulty;
  }
  const [fees, headFees] = [newcomer.header.paidFees, head.header.paidFees];
  if (fees > DECISIVE_FEES * headFees) return true;
  if (headFees > DECISIVE_FEES * fees) return false;
  return compareBytes(newcomer.hash, head.hash) < 0;
}
