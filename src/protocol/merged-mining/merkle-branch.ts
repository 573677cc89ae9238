import { concatBytes, joinBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';

const HASH_SIZE = 32;

/** The root (32 bytes) of a Bitcoin Merkle tree over the first leaf and its siblings on the way up, lowest first. */
export function branchRoot(leaf: Uint8Array, siblings: readonly Uint8Array[]): Uint8Array {
  return siblings.reduce((left, right) => doubleSha256(concatBytes(left, right)), leaf);
}

/** The siblings of the first leaf on the way up a Bitcoin Merkle tree, lowest first; `hashes` are all its leaves. */
export function firstBranch(hashes: readonly Uint8Array[]): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  for (let row = hashes; row.length > 1; row = rowAbove(row)) {
    const [, sibling] = row;
    if (sibling !== undefined) siblings.push(sibling);
  }
  return siblings;
}

/** A row with an odd number of hashes is hashed as if its last stood there twice. */
function rowAbove(row: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let index = 0; index < row.length; index += 2) {
    const left = row[index];
    const right = row[index + 1] ?? left;
    if (left !== undefined && right !== undefined) above.push(doubleSha256(concatBytes(left, right)));
  }
  return above;
}

/**
 * The siblings as headers of the network carry them (RSKIP-92): one after the other, each in the reverse order of its
 * bytes, in which people read Bitcoin's hashes.
 */
export function encodeBranch(siblings: readonly Uint8Array[]): Uint8Array {
  return joinBytes(siblings.map((sibling) => sibling.toReversed()));
}

/** The siblings that {@link encodeBranch} wrote; `null` for bytes that are no such list. */
export function readBranch(bytes: Uint8Array): Uint8Array[] | null {
  if (bytes.length % HASH_SIZE !== 0) return null;
  return Array.from({ length: bytes.length / HASH_SIZE }, (_, index) =>
    bytes.slice(index * HASH_SIZE, (index + 1) * HASH_SIZE).toReversed(),
  );
}
