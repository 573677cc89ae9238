import { compareBytes } from '../../primitives/bytes.ts';
import type { Block, BlockHeader } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { headerHash } from '../../protocol/header-encoding.ts';

/** A block that stood beside another and became an uncle of a later one. */
export interface Sibling {
  readonly header: BlockHeader;
  /** 20 bytes: who mined the block that included it. */
  readonly publisher: Uint8Array;
  /** The number of that block. */
  readonly includedIn: number;
}

/** The siblings of the block with that number that blocks after it included, in their order. */
export function siblingsOf(number: number, descendants: readonly Block[]): Sibling[] {
  return descendants.flatMap(({ header: { coinbase: publisher, number: includedIn }, uncles }) =>
    uncles.filter((uncle) => uncle.number === number).map((header) => ({ header, publisher, includedIn })),
  );
}

const MUCH_MORE = 2n;

/**
 * True when one of the siblings should have stood in the block's place: it paid more than twice the fees, or more than
 * half of them and has a lower hash, or included more uncles (RSKIP-15).
 */
export function breaksSelectionRule(
  { header, hash }: Pick<Block, 'header' | 'hash'>,
  siblings: readonly Sibling[],
  encoding: RuleSet['encoding'],
): boolean {
  return siblings.some(({ header: sibling }) => {
    if (sibling.uncleCount > header.uncleCount || sibling.paidFees > MUCH_MORE * header.paidFees) return true;
    if (header.paidFees >= MUCH_MORE * sibling.paidFees) return false;
    return compareBytes(headerHash(sibling, encoding), hash) < 0;
  });
}
