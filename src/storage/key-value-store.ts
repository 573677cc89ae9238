/** One write of a batch. */
export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A key-value store in memory or on disk. Each read sees all writes before it. */
export interface KeyValueStore {
  /** Returns the value of a key, or `undefined`. */
  getSync(key: string): Uint8Array | undefined;
  /** Makes all the writes in order, or none. Keeps the arrays. The writes can be read as soon as this returns. */
  batch(writes: Write[]): void;
  /** Closes the store; nothing may be read or written afterwards. */
  close(): Promise<void>;
}

/** Bytes of a value that is kept as text, which takes a fifth of the memory of an array; most values are numbers of blocks. */
const SHORT_VALUE = 16;

/** A key-value store in the memory of the process. */
export class MemoryStore implements KeyValueStore {
  #values: Map<string, Uint8Array | string> | null = new Map();

  get #open(): Map<string, Uint8Array | string> {
    if (this.#values === null) throw new TypeError('the store is closed');
    return this.#values;
  }

  getSync(key: string): Uint8Array | undefined {
    const value = this.#open.get(key);
    return typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  }

  batch(writes: readonly Write[]): void {
    const values = this.#open;
    for (const write of writes) {
      if (write.type === 'del') values.delete(write.key);
      else values.set(write.key, kept(write.value));
    }
  }

  /** Returns all keys, in their order. */
  keys(): string[] {
    return [...this.#open.keys()].sort();
  }

  async close(): Promise<void> {
    this.#values = null;
  }
}

function kept(value: Uint8Array): Uint8Array | string {
  return value.length > SHORT_VALUE ? value : String.fromCharCode(...value);
}
