import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { bytesKey } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import {
  type AccountUpdate,
  type Code,
  codeOf,
  EMPTY_CODE,
  ownFields,
  type StateChanges,
  type StorageChange,
  storageRoot,
} from './account.ts';
import { applyChanges } from './apply-changes.ts';
import { CheckpointError } from './errors.ts';
import { changesIn, isFilled, type OverlayStorage, SlotChanges, writtenIn } from './slot-changes.ts';
import { changedContract, type PredictableMessage, type SourceContract } from './state-source.ts';
import { applyToStorage, storedValue, type WorldState } from './world-state.ts';

/** The fields of an account that an overlay returns together. Storage is read by slot. */
export interface AccountView {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
}

/** An account that was read or written. */
interface Entry {
  readonly address: Uint8Array;
  /** The address as {@link bytesKey} formats it. */
  readonly key: string;
  readonly viewInBase: AccountView | undefined;
  readonly storageInBase: OverlayStorage;
  view: AccountView | undefined;
  storage: OverlayStorage;
  isWritten: boolean;
}

/** Maximum number of cached read accounts. A message can read millions. */
const MAX_READ = 4096;

/** Maximum number of unsorted writes. The next access to a slot moves all of them to the map. */
const MAX_AS_THEY_CAME = 2048;

/** The previous value that reverts one change. */
type UndoRecord =
  | { readonly kind: 'account'; readonly entry: Entry; readonly view: AccountView | undefined }
  | { readonly kind: 'storage'; readonly entry: Entry; readonly storage: OverlayStorage }
  | {
      readonly kind: 'slot';
      readonly written: Map<string, StorageChange>;
      readonly key: string;
      readonly change: StorageChange | undefined;
    };

/**
 * A mutable view over an immutable state. Changes can be reverted to a checkpoint. Addresses have 20 bytes,
 * slots 32; values have no leading zeros. Passed arrays are kept, not copied, so the caller must not change
 * them.
 */
export class Overlay {
  #base: WorldState;
  /** The written accounts, including accounts with reverted writes. */
  readonly #entries = new Map<string, Entry>();
  /** The accounts that were only read. */
  readonly #read = new Map<string, Entry>();
  #journal: UndoRecord[] = [];
  /** The length of the journal at each open checkpoint. */
  readonly #checkpoints: number[] = [];
  /** `undefined` since the last change. */
  #stamp: object | undefined;
  /** Changes to apply at the next access. */
  #deferred: (() => void) | undefined;

  constructor(base: WorldState) {
    this.#base = base;
    this.#stamp = base.stamp;
  }

  /** The stamp of the content. Equal stamps mean equal content. Each change creates a new stamp. */
  get stamp(): object {
    this.#stamp ??= {};
    return this.#stamp;
  }

  /** Runs `change` at the next access to the overlay, if any. `change` may use the overlay. */
  changeLater(change: () => void): void {
    this.#makeDeferred();
    this.#stamp = undefined;
    this.#deferred = change;
  }

  account(address: Uint8Array): AccountView | undefined {
    return this.#entry(address).view;
  }

  /** Sets nonce and balance (wei). Code and storage are unchanged; a new account has neither. */
  setAccount(address: Uint8Array, { nonce, balance }: { nonce: bigint; balance: bigint }): void {
    const entry = this.#entry(address);
    this.#setView(entry, { nonce, balance, code: entry.view?.code ?? EMPTY_CODE });
  }

  /** Deletes the account with its code and storage. If it is created again, it is empty. */
  deleteAccount(address: Uint8Array): void {
    const entry = this.#entry(address);
    this.#clearStorage(entry);
    this.#setView(entry, undefined);
  }

  /** Returns the code of an account; empty without code. */
  code(address: Uint8Array): Uint8Array {
    return (this.account(address)?.code ?? EMPTY_CODE).bytes;
  }

  /**
   * Returns true if the account got its code on this chain. Code of the state source does not count, because
   * some chains have placeholder code at precompiles.
   */
  hasLocalCode(address: Uint8Array): boolean {
    this.#makeDeferred();
    const written = this.#entries.get(bytesKey(address));
    const code = written === undefined ? this.#base.localAccount(address)?.code : written.view?.code;
    if (code === undefined || code.bytes.length === 0) return false;
    const atSource = this.#base.source?.account(address);
    return atSource === undefined || !equalBytes(atSource.code.hash, code.hash);
  }

  /** Sets the code. Creates a missing account with nonce and balance 0. */
  setCode(address: Uint8Array, bytes: Uint8Array): void {
    const entry = this.#entry(address);
    const { nonce, balance } = entry.view ?? { nonce: 0n, balance: 0n };
    this.#setView(entry, { nonce, balance, code: codeOf(bytes) });
  }

  /** Returns the value of a slot; empty for zero. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const { storage } = this.#entry(address);
    const { base, source } = storage;
    const change = isFilled(storage) ? writtenIn(storage).get(bytesKey(slot)) : undefined;
    if (change !== undefined) return change.value;
    return storedValue(base, slot) ?? source?.storageAt(address, slot) ?? EMPTY_BYTES;
  }

  /** Sets a slot; an empty value removes it. Creates a missing account with nonce and balance 0. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const entry = this.#entry(address);
    if (entry.view === undefined) this.#setView(entry, { nonce: 0n, balance: 0n, code: EMPTY_CODE });
    this.#writeSlots(entry, [{ slot, value }]);
  }

  /** Sets every slot of the account to zero. */
  clearStorage(address: Uint8Array): void {
    this.#clearStorage(this.#entry(address));
  }

  /** Returns false if every slot of the account is known to be zero without a read. */
  mayHaveStorage(address: Uint8Array): boolean {
    const { storage } = this.#entry(address);
    return storage.base !== null || storage.source !== undefined || isFilled(storage);
  }

  /**
   * Returns true if a slot is known to be nonzero without reading the state source. It is only used for
   * accounts without code and nonce. They have no storage on any chain.
   */
  hasStorage(address: Uint8Array): boolean {
    const { storage } = this.#entry(address);
    if (storage.base !== null && !isFilled(storage)) return true;
    return applyToStorage(storage.base, changesIn(storage), false) !== null;
  }

  /** Fetches values that the message will probably read from the state source, if it can predict them. */
  async predict(message: PredictableMessage): Promise<void> {
    await this.#base.source?.predict?.(message, this.#base.accounts());
  }

  /** Returns a contract that only the state source's chain can execute; `null` for other addresses. */
  sourceContract(address: Uint8Array): SourceContract | null {
    const contract = this.#base.sourceContract(address);
    if (contract === null || contract.isChanged) return contract;
    const { storage, storageInBase } = this.#entry(address);
    return storage !== storageInBase || isFilled(storage) ? changedContract(contract) : contract;
  }

  /** Writes or creates an account. Its storage is unchanged, and so is its code unless `code` is set. */
  write(
    address: Uint8Array,
    { nonce, balance, code }: Omit<AccountView, 'code'> & Partial<Pick<AccountView, 'code'>>,
  ): void {
    const entry = this.#entry(address);
    const before = entry.view;
    const newCode = code ?? before?.code ?? EMPTY_CODE;
    if (before?.nonce === nonce && before.balance === balance && before.code === newCode) return;
    this.#setView(entry, { nonce, balance, code: newCode });
  }

  /** Writes slots of an existing account. */
  writeStorage(address: Uint8Array, storage: Iterable<StorageChange>): void {
    this.#writeSlots(this.#entry(address), storage);
  }

  /** Returns the storage root (32 bytes) of the account; the empty root for a missing account. */
  storageRootOf(address: Uint8Array): Uint8Array {
    const { storage } = this.#entry(address);
    return storageRoot(applyToStorage(storage.base, changesIn(storage), storage.source !== undefined));
  }

  /** Opens a checkpoint for {@link Overlay.revert}. Checkpoints can be nested. */
  checkpoint(): void {
    this.#makeDeferred();
    this.#checkpoints.push(this.#journal.length);
  }

  /** Closes the innermost checkpoint and keeps its changes. Throws {@link CheckpointError} without one. */
  commit(): void {
    this.#makeDeferred();
    this.#closeCheckpoint();
    if (this.#checkpoints.length === 0) this.#journal = [];
  }

  /** Closes the innermost checkpoint and reverts its changes. Throws {@link CheckpointError} without one. */
  revert(): void {
    this.#makeDeferred();
    this.#stamp = undefined;
    const start = this.#closeCheckpoint();
    for (const record of this.#journal.splice(start).reverse()) undo(record);
  }

  /**
   * Applies all changes to the state below, rebases the overlay on the result, and returns it. Reads through
   * the overlay do not change. An account with nonce and balance 0 and no code remains as an empty account.
   * The caller can delete it with {@link Overlay.deleteAccount} (EIP-161). Throws {@link CheckpointError} if
   * a checkpoint is open.
   */
  toWorldState(): WorldState {
    if (this.#checkpoints.length > 0) throw new CheckpointError('a checkpoint is still open');
    this.#makeDeferred();
    this.#base = this.#base.apply(this.#changes(), this.stamp);
    this.#stamp = this.#base.stamp;
    this.#forget();
    return this.#base;
  }

  /** Like {@link Overlay.toWorldState}, but yields. The overlay must not change meanwhile. */
  *toWorldStateInSteps(): Steps<WorldState> {
    if (this.#checkpoints.length > 0) throw new CheckpointError('a checkpoint is still open');
    this.#makeDeferred();
    // A block without transactions writes nothing.
    if (this.#entries.size > 0) this.#base = yield* applyChanges(this.#base, this.#changes(), this.stamp);
    this.#stamp = this.#base.stamp;
    this.#forget();
    return this.#base;
  }

  #forget(): void {
    this.#entries.clear();
    this.#read.clear();
  }

  #changes(): StateChanges {
    const updated: AccountUpdate[] = [];
    const deleted: Uint8Array[] = [];
    for (const { address, view, viewInBase, storage, storageInBase } of this.#entries.values()) {
      const clearsStorage = storage !== storageInBase;
      if (view === undefined) {
        if (viewInBase !== undefined) deleted.push(address);
      } else if (view !== viewInBase || clearsStorage || isFilled(storage)) {
        const { nonce, balance, code } = view;
        updated.push({ address, nonce, balance, code, clearsStorage, storage: changesIn(storage) });
      }
    }
    return { updated, deleted };
  }

  #makeDeferred(): void {
    const change = this.#deferred;
    if (change === undefined) return;
    const stamp = this.stamp;
    this.#deferred = undefined;
    change();
    // The stamp stays, because the content did not change.
    this.#stamp = stamp;
  }

  #entry(address: Uint8Array): Entry {
    if (this.#deferred !== undefined) this.#makeDeferred();
    const key = bytesKey(address);
    const known = this.#entries.get(key) ?? this.#read.get(key);
    if (known !== undefined) return known;
    const account = this.#base.account(address);
    const storage = {
      base: account?.storage ?? null,
      source: account?.storageSource,
      written: undefined,
      asTheyCame: undefined,
    };
    const view = account === undefined ? undefined : ownFields(account);
    const entry: Entry = {
      address,
      key,
      viewInBase: view,
      storageInBase: storage,
      view,
      storage,
      isWritten: false,
    };
    if (this.#read.size >= MAX_READ) this.#read.clear();
    this.#read.set(key, entry);
    return entry;
  }

  /** Keeps the account, because it will be written. */
  #keep(entry: Entry): void {
    if (entry.isWritten) return;
    entry.isWritten = true;
    this.#read.delete(entry.key);
    this.#entries.set(entry.key, entry);
  }

  #setView(entry: Entry, view: AccountView | undefined): void {
    this.#keep(entry);
    this.#record({ kind: 'account', entry, view: entry.view });
    entry.view = view;
  }

  #writeSlots(entry: Entry, changes: Iterable<StorageChange>): void {
    this.#keep(entry);
    const { storage } = entry;
    const isFirst = this.#checkpoints.length === 0 && !isFilled(storage);
    if (isFirst && changes instanceof SlotChanges && changes.count <= MAX_AS_THEY_CAME) {
      storage.asTheyCame = changes;
      this.#stamp = undefined;
      return;
    }
    const written = writtenIn(storage);
    for (const change of changes) {
      const key = bytesKey(change.slot);
      this.#record({ kind: 'slot', written, key, change: written.get(key) });
      written.set(key, change);
    }
  }

  #clearStorage(entry: Entry): void {
    this.#keep(entry);
    this.#record({ kind: 'storage', entry, storage: entry.storage });
    entry.storage = { base: null, source: undefined, written: undefined, asTheyCame: undefined };
  }

  #record(record: UndoRecord): void {
    this.#stamp = undefined;
    if (this.#checkpoints.length > 0) this.#journal.push(record);
  }

  #closeCheckpoint(): number {
    const start = this.#checkpoints.pop();
    if (start === undefined) throw new CheckpointError('no checkpoint is open');
    return start;
  }
}

function undo(record: UndoRecord): void {
  if (record.kind === 'account') record.entry.view = record.view;
  else if (record.kind === 'storage') record.entry.storage = record.storage;
  else if (record.change === undefined) record.written.delete(record.key);
  else record.written.set(record.key, record.change);
}
