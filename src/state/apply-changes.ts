import { type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
import type { AccountUpdate, StateChanges, StorageChange } from './account.ts';
import { SlotChanges } from './slot-changes.ts';
import type { WorldState } from './world-state.ts';

/** Work units to put an account or a slot into a trie and hash the change. */
const ENTRY_WORK = 256;
/** Work units to remove an account from a trie. */
const REMOVAL_WORK = 1_024;
/** Bytes of code hashed per work unit. */
const CODE_PER_UNIT = 16;

/**
 * Applies and hashes the changes in steps. Otherwise an account with many slots, or the root of many accounts,
 * would block the event loop. The result has the given stamp if the last step changes
 * anything.
 */
export function* applyChanges(
  before: WorldState,
  { updated: updates, deleted }: StateChanges,
  stamp?: object,
): Steps<WorldState> {
  let state = before;
  let removed: Uint8Array[] = [];
  for (const address of deleted) {
    removed.push(address);
    if ((yield REMOVAL_WORK) !== true) continue;
    state = state.apply({ updated: [], deleted: removed });
    void state.root;
    removed = [];
  }
  state = state.apply({ updated: [], deleted: removed });
  let updated: AccountUpdate[] = [];
  const apply = (): void => {
    const changed = state.apply({ updated, deleted: [] });
    void changed.root;
    state = changed;
    updated = [];
  };
  let work = 0;
  for (const update of updates) {
    let storage: StorageChange[] = [];
    let { clearsStorage } = update;
    work += ENTRY_WORK;
    if (update.code !== null) work += update.code.bytes.length / CODE_PER_UNIT;
    if (work >= WORK_PER_STEP) {
      if ((yield work) === true) apply();
      work = 0;
    }
    if (update.storage instanceof SlotChanges) {
      const slots = update.storage;
      let start = 0;
      for (let end = 1; end <= slots.count; end++) {
        work += ENTRY_WORK;
        if (work < WORK_PER_STEP) continue;
        const isResumed = (yield work) === true;
        work = 0;
        if (!isResumed) continue;
        updated.push({ ...update, clearsStorage, storage: slots.slice(start, end) });
        apply();
        [start, clearsStorage] = [end, false];
      }
      updated.push(
        start === 0 ? update : { ...update, clearsStorage, storage: slots.slice(start, slots.count) },
      );
      continue;
    }
    for (const change of update.storage) {
      storage.push(change);
      work += ENTRY_WORK;
      if (work < WORK_PER_STEP) continue;
      const isResumed = (yield work) === true;
      work = 0;
      if (!isResumed) continue;
      updated.push({ ...update, clearsStorage, storage });
      apply();
      [storage, clearsStorage] = [[], false];
    }
    updated.push({ ...update, clearsStorage, storage });
  }
  if (work > 0) yield work;
  // The caller computes the root. Most of its hashes are cached by now.
  return state.apply({ updated, deleted: [] }, stamp);
}
