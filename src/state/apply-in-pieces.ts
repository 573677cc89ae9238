import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { AccountUpdate, StateChanges, StorageChange } from './account.ts';
import { SlotChanges } from './slot-changes.ts';
import type { WorldState } from './world-state.ts';

/** Units of work for putting an account or a slot into a trie, and for hashing what that changes. */
const ENTRY_WORK = 256;
/** Units of work for removing an account from a trie, which are removed one by one. */
const REMOVAL_WORK = 1_024;
/** Bytes of code that are hashed in a unit of work. */
const CODE_PER_UNIT = 16;

/**
 * Returns the state after the changes, applied and hashed in pieces when there are many: otherwise an account with many
 * slots, or the root of many accounts, would hold the event loop for too long. The result has the given stamp if the
 * last piece changes anything.
 */
export function* applyInPieces(
  before: WorldState,
  { updated: updates, deleted }: StateChanges,
  pieces: WorkPieces,
  stamp?: object,
): Task<WorldState> {
  let state = before;
  let removed: Uint8Array[] = [];
  for (const address of deleted) {
    removed.push(address);
    const turn = pieces.spend(REMOVAL_WORK);
    if (turn === undefined) continue;
    state = state.apply({ updated: [], deleted: removed });
    void state.root;
    removed = [];
    yield turn;
  }
  state = state.apply({ updated: [], deleted: removed });
  let updated: AccountUpdate[] = [];
  const apply = (): void => {
    const changed = state.apply({ updated, deleted: [] });
    void changed.root;
    state = changed;
    updated = [];
  };
  for (const update of updates) {
    let storage: StorageChange[] = [];
    let { clearsStorage } = update;
    const turn = pieces.spend(ENTRY_WORK + (update.code?.bytes.length ?? 0) / CODE_PER_UNIT);
    if (turn !== undefined) {
      apply();
      yield turn;
    }
    if (update.storage instanceof SlotChanges) {
      const slots = update.storage;
      let start = 0;
      for (let end = 1; end <= slots.count; end++) {
        const turn = pieces.spend(ENTRY_WORK);
        if (turn === undefined) continue;
        updated.push({ ...update, clearsStorage, storage: slots.slice(start, end) });
        apply();
        [start, clearsStorage] = [end, false];
        yield turn;
      }
      updated.push({ ...update, clearsStorage, storage: slots.slice(start, slots.count) });
      continue;
    }
    for (const change of update.storage) {
      storage.push(change);
      const turn = pieces.spend(ENTRY_WORK);
      if (turn === undefined) continue;
      updated.push({ ...update, clearsStorage, storage });
      apply();
      [storage, clearsStorage] = [[], false];
      yield turn;
    }
    updated.push({ ...update, clearsStorage, storage });
  }
  // The caller computes the root, most of whose hashes are cached by now.
  return state.apply({ updated, deleted: [] }, stamp);
}
