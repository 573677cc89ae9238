import type { RemascParameters } from '../../protocol/remasc-parameters.ts';

/** What each gets of a block that has siblings, in wei. */
export interface SiblingShares {
  /** Each who included a sibling as an uncle. */
  readonly publisher: bigint;
  /** The miner of the block, and each of its siblings' before it pays for having been included late. */
  readonly miner: bigint;
  /** What is nobody's: what cannot be split evenly, and what was punished. */
  readonly burned: bigint;
}

/**
 * Splits `reward` (wei): a part to the publishers, the rest to the miner of the block and those of its siblings. Each
 * miner loses a part when the block before broke the selection rule (RSKIP-15).
 */
export function siblingShares(
  reward: bigint,
  siblingCount: number,
  isPunished: boolean,
  { publishersDivisor, punishmentDivisor }: RemascParameters,
): SiblingShares {
  const publishers = BigInt(siblingCount);
  const miners = publishers + 1n;
  const forPublishers = reward / publishersDivisor;
  const forMiners = reward - forPublishers;
  const even = forMiners / miners;
  const punishment = isPunished ? even / punishmentDivisor : 0n;
  return {
    publisher: forPublishers / publishers,
    miner: even - punishment,
    burned: (forPublishers % publishers) + (forMiners % miners) + punishment * miners,
  };
}
