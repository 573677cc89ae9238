import type { ChainCore, Durability } from '../../chain/chain-core.ts';
import type { Snapshots, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { StateStore } from '../../state/stored/state-store.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import { ChainRecord } from './chain-record.ts';

/** Everything that was stored of a chain besides its blocks. */
export interface StoredImage extends SnapshotsImage {
  /** 32 bytes. */
  readonly instanceId: Uint8Array;
}

interface Waiting {
  readonly written: Promise<void>;
  readonly end: (error?: unknown) => void;
}

function createWaiting(): Waiting {
  let end: Waiting['end'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Avoids an unhandled rejection when no caller waits; those who wait still receive it.
  written.catch(() => undefined);
  return { written, end };
}

/**
 * Keeps a chain on disk. Each change, with all blocks that it adds or removes, is one batch at its end: it is on disk
 * as a whole or not at all, and before any caller who asked for it or saw it gets an answer.
 */
export class DirectoryDurability implements Durability {
  readonly #store: DurableStore;
  readonly #states: StateStore;
  /** The chain that is kept; `null` until it is there. */
  #kept: { readonly core: ChainCore; readonly record: ChainRecord } | null = null;
  #waiting: Waiting | null = null;
  #hasFailed = false;

  constructor(store: DurableStore, states: StateStore) {
    this.#store = store;
    this.#states = states;
  }

  /** Keeps that chain from now on: makes it what was stored, `null` for a fresh one, and writes what is not on disk yet. */
  async begin(core: ChainCore, snapshots: Snapshots, stored: StoredImage | null): Promise<void> {
    this.#kept = { core, record: new ChainRecord(this.#store, this.#states, core, snapshots) };
    await core.changes.run(() => {
      if (stored === null) return;
      core.identity.restore(stored.instanceId);
      snapshots.adopt(stored);
    });
  }

  /** Writes the finished change. Rejects with a `DiskError`; the next change then retries. */
  async commit(): Promise<void> {
    try {
      this.#kept?.record.update();
      while (this.#store.isChanged) {
        await this.#store.write();
        // Accounts and impersonation can change meanwhile, and their callers wait for this.
        this.#kept?.record.update();
      }
      this.#hasFailed = false;
      this.#endWaiting();
    } catch (error) {
      this.#hasFailed = true;
      this.#endWaiting(error);
      throw error;
    }
  }

  #endWaiting(error?: unknown): void {
    this.#waiting?.end(error);
    this.#waiting = null;
  }

  /** Resolves when the present chain is on disk; returns `undefined` when it already is. Rejects with a `DiskError`. */
  settle(): Promise<void> | undefined {
    if (this.#store.isChanged && !this.#hasFailed) {
      // A change is in progress, which writes everything at its end; later changes need not be waited for.
      this.#waiting ??= createWaiting();
      return this.#waiting.written;
    }
    const kept = this.#kept;
    if (kept === null) return undefined;
    const isChanged = this.#store.isChanged || kept.record.isChanged;
    return isChanged ? kept.core.changes.run(async () => undefined) : undefined;
  }

  /** Releases the directory. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
