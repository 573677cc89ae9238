import type { RecordStore } from '../../../src/state/state-store.ts';

/** Records in a map, with counts of reads and writes. */
export class MemoryRecords implements RecordStore {
  readonly records = new Map<string, Uint8Array>();
  reads = 0;
  writes = 0;

  getSync(key: string): Uint8Array | undefined {
    this.reads++;
    return this.records.get(key);
  }

  put(key: string, value: Uint8Array): void {
    this.writes++;
    this.records.set(key, value.slice());
  }
}
