// The storage of one account in an overlay.

import { bytesKey } from '../primitives/hex.ts';
import type { StorageChange, StorageSource, StorageTrie } from './account.ts';
import type { SlotChanges } from './slot-changes.ts';

/** The storage of an account with the writes so far, over the trie below. */
export interface OverlayStorage {
  readonly base: StorageTrie;
  /** The source of slots that the trie below does not have, if there is one. */
  readonly source: StorageSource | undefined;
  /** By slot, as {@link bytesKey} spells it; made with the first write that is not kept as it came. */
  written: Map<string, StorageChange> | undefined;
  /** The only writes so far, as they came: most are never read here. */
  asTheyCame: SlotChanges | undefined;
}

/** True when something was written. */
export function isFilled({ written, asTheyCame }: OverlayStorage): boolean {
  return asTheyCame !== undefined || (written !== undefined && written.size > 0);
}

/** Returns the writes by their slots. */
export function writtenIn(storage: OverlayStorage): Map<string, StorageChange> {
  storage.written ??= new Map();
  const { written, asTheyCame } = storage;
  if (asTheyCame === undefined) return written;
  storage.asTheyCame = undefined;
  for (const change of asTheyCame) written.set(bytesKey(change.slot), change);
  return written;
}

/** Returns the writes in any order. */
export function changesIn({ written, asTheyCame }: OverlayStorage): Iterable<StorageChange> {
  return asTheyCame ?? written?.values() ?? [];
}
