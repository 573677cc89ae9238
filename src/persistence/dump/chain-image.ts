import type { SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { ChainEntry } from '../../storage/chain-entry.ts';
import type { StoredKey } from '../../wallet/stored-key.ts';

/** All that a chain is, made of nothing but values. */
export interface ChainImage extends SnapshotsImage {
  /** From the first block to the head, which is a block by itself. */
  readonly entries: readonly ChainEntry[];
  /** The keys that came with it; empty when none did. */
  readonly keys: readonly StoredKey[];
}
