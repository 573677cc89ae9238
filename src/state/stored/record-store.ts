/** Where records of a state are kept by name. What was put can be read at once. */
export interface RecordStore {
  getSync(key: string): Uint8Array | undefined;
  /** Keeps both arrays, so the caller must not change them afterwards. */
  put(key: string, value: Uint8Array): void;
}
