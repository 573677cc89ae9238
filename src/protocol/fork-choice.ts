import { compareBytes } from '../primitives/bytes.ts';
import type { Block } from './block.ts';

/** A block that pays more than so many times the fees of another wins over it. */
const DECISIVE_FEES = 2n;

/**
 * True when a block that arrives takes the place of the head: with more difficulty behind it; with as much, when it pays
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
