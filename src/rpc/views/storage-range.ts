import { compareBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { StorageTrie } from '../../state/account.ts';
import { trieValues } from '../../state/trie/trie.ts';

const WORD = 32;

/** Slots of a storage in the order of their hashes as JSON, from the hash `start` (32 bytes) on, at most `limit`. */
export function storageRangeView(
  storage: StorageTrie,
  start: Uint8Array,
  limit: number,
): Readonly<Record<string, unknown>> {
  const found: [string, { key: string; value: string }][] = [];
  for (const { slot, value } of trieValues(storage)) {
    const hash = keccak256(slot);
    if (compareBytes(hash, start) < 0) continue;
    if (found.length === limit) return { storage: Object.fromEntries(found), nextKey: toHex(hash) };
    found.push([toHex(hash), { key: toHex(slot), value: toHex(padLeft(value, WORD)) }]);
  }
  return { storage: Object.fromEntries(found), nextKey: null };
}
