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
