import type { SerialQueue } from '../../chain/serial-queue.ts';
import type { Snapshots, SnapshotsImage } from '../../chain/snapshots/snapshots.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import { ChainRecord, type RecordParts } from './chain-record.ts';

/** What durability needs of a chain. */
export interface DurabilityParts extends Omit<RecordParts, 'store' | 'states'> {
  readonly snapshots: Snapshots;
  readonly changes: SerialQueue;
}

/** What was stored of a chain besides its blocks. */
export interface StoredImage extends SnapshotsImage {
  /** 32 bytes. */
  readonly instanceId: Uint8Array;
}

/** Makes the durability of a chain that has its parts. */
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
  // Whoever waits hears of it; nobody has to.
  written.catch(() => undefined);
  return { written, end };
}

/**
 * Keeps a chain on disk. Each change, with all blocks that it makes or takes away, is one batch at its end: the disk has
 * it wholly or not at all, and has it before anybody is answered who asked for the change or saw it.
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

  /** Makes the chain what was stored, `null` for a fresh one, and writes what is not on disk yet. */
  async begin(stored: StoredImage | null): Promise<void> {
    const { snapshots, identity, changes } = this.#parts;
    await changes.run(() => {
      if (stored === null) return;
      identity.restore(stored.instanceId);
      snapshots.adopt(stored);
    });
  }

  /** Writes the change that has come to its end. Rejects with a `DiskError`; the next change tries again then. */
  async commit(): Promise<void> {
    try {
      this.#record.update();
      while (this.#store.isChanged) {
        await this.#store.write();
        // Accounts and impersonation can change meanwhile, and who changed them waits for this.
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

  /**
   * Resolves when all that the chain is now is on disk; returns `undefined` when it is already. Rejects with a
   * `DiskError`.
   */
  settle(): Promise<void> | undefined {
    if (this.#store.isChanged && !this.#hasFailed) {
      // A change is under way, which writes everything at its end; those behind it need not be waited for.
      this.#waiting ??= createWaiting();
      return this.#waiting.written;
    }
    const isChanged = this.#store.isChanged || this.#record.isChanged;
    return isChanged ? this.#parts.changes.run(async () => undefined) : undefined;
  }

  /** Lets go of the directory. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
