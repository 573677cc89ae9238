import { equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
  type StorageTrie,
} from './account.ts';
import type { StateSource } from './state-source.ts';
import { trieGet, trieRemove } from './trie/trie.ts';
import { trieDifferences } from './trie/trie-difference.ts';
import { trieRoot } from './trie/trie-encoding.ts';
import { loaded } from './trie/trie-node.ts';
import { type TrieEntry, triePutAll } from './trie/trie-put-all.ts';
import { WorldState } from './world-state.ts';

/** How what is kept here of one address differs between two states that began with the same state elsewhere. */
export interface LocalDifference {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The account as it is here; `'gone'` for one that is no more; `'elsewhere'` for one that nobody wrote here. */
  readonly becomes: LocalAccount | 'gone' | 'elsewhere';
}

/** An account that was written here. */
export interface LocalAccount {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` when the code stays what it was here. */
  readonly code: Code | null;
  /** True when the slots that were not written here are those elsewhere; false when they are zero. */
  readonly isOverElsewhere: boolean;
  /** The slots that are kept here in another way than before, in the order of their hashes. */
  readonly storage: readonly LocalSlot[];
}

/** A slot of an account that was written here. */
export interface LocalSlot {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros; `null` when nothing is kept here of the slot. */
  readonly value: Uint8Array | null;
}

/**
 * What must change in the first state to make it the second, as far as they are kept here, in the order of the hashes of
 * addresses. Nothing is asked of elsewhere.
 */
export function* localDifferences(
  before: WorldState,
  after: WorldState,
): Generator<LocalDifference, void, undefined> {
  for (const pair of trieDifferences(before.trie, after.trie)) {
    const address = (pair.after ?? pair.before)?.address;
    if (address === undefined) continue;
    const becomes = localDifference(pair.before, pair.after);
    if (becomes !== null) yield { address, becomes };
  }
}

/** `null` when both are the same. */
function localDifference(
  before: Account | undefined,
  after: Account | undefined,
): LocalDifference['becomes'] | null {
  if (after === undefined) return 'elsewhere';
  if (after.isGone === true) return before?.isGone === true ? null : 'gone';
  const kept = before?.isGone === true ? undefined : before;
  const { nonce, balance, storageElsewhere } = after;
  const storage = Array.from(slotDifferences(kept?.storage ?? null, after.storage));
  const hasSameCode = kept !== undefined && equalBytes(kept.code.hash, after.code.hash);
  const isSame =
    hasSameCode &&
    kept.nonce === nonce &&
    kept.balance === balance &&
    (kept.storageElsewhere === undefined) === (storageElsewhere === undefined) &&
    storage.length === 0;
  if (isSame) return null;
  const isOverElsewhere = storageElsewhere !== undefined;
  return { nonce, balance, code: hasSameCode ? null : after.code, isOverElsewhere, storage };
}

function* slotDifferences(before: StorageTrie, after: StorageTrie): Generator<LocalSlot> {
  for (const pair of trieDifferences(before, after)) {
    const slot = (pair.after ?? pair.before)?.slot;
    if (slot === undefined) continue;
    const value = pair.after?.value ?? null;
    const isSame = value !== null && pair.before !== undefined && equalBytes(pair.before.value, value);
    if (!isSame) yield { slot, value };
  }
}

/** Units of work for putting an account or a slot into a trie, and for hashing what that changes. */
const ENTRY_WORK = 256;

/**
 * The state after the differences, which over `before` has what is kept of it elsewhere; in pieces where they are many.
 * Addresses must be all different.
 */
export function* withLocalDifferences(
  before: WorldState,
  elsewhere: StateSource,
  differences: readonly LocalDifference[],
  pieces: WorkPieces,
): Task<WorldState> {
  const local = loaded(before.trie);
  let accounts = local;
  let changed: TrieEntry<Account>[] = [];
  for (const { address, becomes } of differences) {
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) {
      accounts = triePutAll(accounts, changed);
      changed = [];
      trieRoot(accounts, encodeAccount);
      yield turn;
    }
    const key = keccak256(address);
    if (becomes === 'elsewhere') accounts = trieRemove(accounts, key);
    else if (becomes === 'gone') {
      const gone = { nonce: 0n, balance: 0n, code: EMPTY_CODE, storage: null, isGone: true } as const;
      changed.push({ key, value: { address, ...gone } });
    } else {
      const account = yield* localAccount(address, trieGet(local, key), becomes, elsewhere, pieces);
      changed.push({ key, value: account });
    }
  }
  accounts = triePutAll(accounts, changed);
  return accounts === local ? before : WorldState.of(accounts, elsewhere);
}

function* localAccount(
  address: Uint8Array,
  before: Account | undefined,
  { nonce, balance, code, isOverElsewhere, storage }: LocalAccount,
  elsewhere: StateSource,
  pieces: WorkPieces,
): Task<Account> {
  const value = {
    address,
    nonce,
    balance,
    code: code ?? before?.code ?? EMPTY_CODE,
    storage: yield* withSlots(before?.storage ?? null, storage, pieces),
  };
  return isOverElsewhere ? { ...value, storageElsewhere: elsewhere } : value;
}

function* withSlots(before: StorageTrie, slots: readonly LocalSlot[], pieces: WorkPieces): Task<StorageTrie> {
  let storage = before;
  let entries: TrieEntry<StorageEntry>[] = [];
  for (const { slot, value } of slots) {
    const key = keccak256(slot);
    if (value === null) storage = trieRemove(storage, key);
    else entries.push({ key, value: { slot, value } });
    const turn = pieces.spend(ENTRY_WORK);
    if (turn === undefined) continue;
    storage = triePutAll(storage, entries);
    entries = [];
    trieRoot(storage, encodeStorageEntry);
    yield turn;
  }
  return triePutAll(storage, entries);
}
