// Writing each change of a chain to disk before it is reported.

import type { SerialQueue } from '../../chain/serial-queue.ts';
import type { Snapshots, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import { ChainRecord, type RecordParts } from './chain-record.ts';

/** The dependencies of durability. */
export interface DurabilityParts extends Omit<RecordParts, 'store' | 'states'> {
  readonly snapshots: Snapshots;
  readonly changes: SerialQueue;
}

/** The stored parts of a chain besides its blocks. */
export interface StoredImage extends SnapshotsImage {
  /** 32 bytes. */
  readonly instanceId: Uint8Array;
}

/** Creates the durability of a chain with those parts. */
export type CreateDurability = (parts: DurabilityParts) => Durability;

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
export class Durability {
  readonly #store: DurableStore;
  readonly #record: ChainRecord;
  readonly #parts: DurabilityParts;
  #waiting: Waiting | null = null;
  #hasFailed = false;

  constructor(store: DurableStore, states: RecordParts['states'], parts: DurabilityParts) {
    this.#store = store;
    this.#parts = parts;
    this.#record = new ChainRecord({ ...parts, store, states });
  }

  /** Restores the stored chain, `null` for a fresh one, and writes what is not on disk yet. */
  async begin(stored: StoredImage | null): Promise<void> {
    const { snapshots, identity, changes } = this.#parts;
    await changes.run(() => {
      if (stored === null) return;
      identity.restore(stored.instanceId);
      snapshots.adopt(stored);
    });
  }

  /** Writes the finished change. Rejects with a `DiskError`; the next change then retries. */
  async commit(): Promise<void> {
    try {
      this.#record.update();
      while (this.#store.isChanged) {
        await this.#store.write();
        // Accounts and impersonation can change meanwhile, and their callers wait for this write.
        this.#record.update();
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
    const isChanged = this.#store.isChanged || this.#record.isChanged;
    return isChanged ? this.#parts.changes.run(async () => undefined) : undefined;
  }

  /** Releases the directory. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
