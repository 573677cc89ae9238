import { concatBytes } from '../../../../primitives/bytes.ts';
import { doubleSha256 } from '../../../../primitives/sha256.ts';
import { PrecompileError } from '../../errors.ts';
import { reversed } from './block-header.ts';

/** The most hashes of a branch. */
const LONGEST_BRANCH = 255;

/**
 * The Merkle root that a transaction and the hashes beside its way up lead to (RSKIP122): all 32 bytes, as people write
 * them. Bit by bit, the lowest first, `path` (32 bits) says whether the way comes from the right side (1) or the left.
 * Throws a `PrecompileError` for a path that has more bits than there are hashes.
 */
export function merkleRootOf(
  transactionHash: Uint8Array,
  path: number,
  branch: readonly Uint8Array[],
): Uint8Array {
  const pathBits = 32 - Math.clz32(path);
  if (branch.length > LONGEST_BRANCH || pathBits > branch.length) {
    throw new PrecompileError('The path does not fit the branch');
  }
  return branch.reduce((hash, beside, level) => {
    const isRight = ((path >> level) & 1) === 1;
    const [left, right] = isRight ? [beside, hash] : [hash, beside];
    return reversed(doubleSha256(concatBytes(reversed(left), reversed(right))));
  }, transactionHash);
}
