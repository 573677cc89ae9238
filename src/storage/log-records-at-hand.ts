import type { LogRecord } from './log-record.ts';

/** Bytes of block records that are kept at hand for their logs. */
const CAPACITY = 64 * 2 ** 20;

interface Kept {
  readonly logs: LogRecord;
  /** Bytes of the block record that the logs are a part of. */
  readonly size: number;
}

/**
 * The log records read or written last, by block number, within a bound of bytes: a search that hits a thousand blocks
 * does not look each of them up in storage.
 */
export class LogRecordsAtHand {
  readonly #kept = new Map<number, Kept>();
  #size = 0;

  get(number: number): LogRecord | undefined {
    return this.#kept.get(number)?.logs;
  }

  /** Keeps the logs of a block whose record takes `size` bytes; the oldest go when it gets too much. */
  set(number: number, logs: LogRecord, size: number): void {
    this.delete(number);
    this.#kept.set(number, { logs, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= CAPACITY) return;
      this.delete(oldest);
    }
  }

  delete(number: number): void {
    this.#size -= this.#kept.get(number)?.size ?? 0;
    this.#kept.delete(number);
  }
}
