/** One of the writes that happen together. */
export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A key-value store of any make: in memory or on disk. What was written is read from then on. */
export interface KeyValueStore {
  /** The value of a key, or `undefined`. */
  getSync(key: string): Uint8Array | undefined;
  /** Writes all, one after the other, or nothing. Keeps the arrays. What is written can be read as soon as this is back. */
  batch(writes: Write[]): void;
  /** Nothing may be read or written afterwards. */
  close(): Promise<void>;
}

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
