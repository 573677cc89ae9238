import type { KeyValueStore, Write } from './key-value-store.ts';

/** A key-value store that lives and dies with the process. */
export class MemoryStore implements KeyValueStore {
  #values: Map<string, Uint8Array> | null = new Map();

  get #open(): Map<string, Uint8Array> {
    if (this.#values === null) throw new TypeError('the store is closed');
    return this.#values;
  }

  getSync(key: string): Uint8Array | undefined {
    return this.#open.get(key);
  }

  batch(writes: readonly Write[]): void {
    const values = this.#open;
    for (const write of writes) {
      if (write.type === 'put') values.set(write.key, write.value);
      else values.delete(write.key);
    }
  }

  /** All keys, in their order. */
  keys(): string[] {
    return [...this.#open.keys()].sort();
  }

  async close(): Promise<void> {
    this.#values = null;
  }
}
