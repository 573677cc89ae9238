import { EMPTY_BYTES, joinBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { reversed } from './byte-reader.ts';

/** Returns the root of the Merkle tree of ids, at least one. */
export function merkleRootOfIds(ids: readonly Uint8Array[]): Uint8Array {
  let row = ids.map(reversed);
  while (row.length > 1) {
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, index) => {
      const left = row[2 * index] ?? EMPTY_BYTES;
      return doubleSha256(joinBytes([left, row[2 * index + 1] ?? left]));
    });
  }
  return reversed(row[0] ?? EMPTY_BYTES);
}
