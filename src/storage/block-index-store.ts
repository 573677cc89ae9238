// The record on disk that each block's index entry is restored from when a chain is opened.

import { bigIntToBytes, EMPTY_BYTES, numberToBytes } from '../primitives/bytes.ts';
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../primitives/rlp.ts';
import type { Block } from '../protocol/block.ts';
import type { StateStore } from '../state/state-store.ts';
import type { WorldState } from '../state/world-state.ts';
import type { DurableStore } from './durable-store.ts';
import { BlockRecordError } from './errors.ts';
import { type KeyValueStore, numberKey } from './key-value-store.ts';

/** Returns the number in a key of {@link numberKey}. */
function numberOfKey(key: string): number {
  return Number.parseInt(key.slice(1), 16);
}

/**
 * Returns the fields that `read` decodes from a record. Throws {@link BlockRecordError} when the bytes are not the
 * expected RLP.
 */
export function decodingRlp<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RlpError) throw new BlockRecordError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the RLP item of a record. Throws {@link BlockRecordError} for malformed bytes. */
export function itemOf(record: Uint8Array): RlpItem {
  return decodingRlp(() => decodeRlp(record));
}

/** Returns the field as bytes. Throws {@link BlockRecordError} when it is a list or missing. */
export function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new BlockRecordError('a record has a list where bytes belong');
}

/** Returns the field as a list. Throws {@link BlockRecordError} when it is bytes or missing. */
export function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new BlockRecordError('a record has bytes where a list belongs');
}

/** Returns an unsigned integer as a field. */
export function integer(value: bigint | number): Uint8Array {
  return typeof value === 'number' ? numberToBytes(value) : bigIntToBytes(value);
}

/** The properties that logs are found by. */
export interface LogMarks {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Each 32 bytes; those after the first may be missing. */
  readonly topics: readonly Uint8Array[];
}

/** The data of a block that must be in memory when its chain is opened. */
export interface BlockIndexEntry {
  readonly hash: Uint8Array;
  /** 32 bytes: the root of the state after the block, which the header need not have; `null` when it is not known. */
  readonly stateRoot: Uint8Array | null;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
  readonly logs: readonly LogMarks[];
}

/** Returns the bytes of an index record, with only the first topic of each log. */
function encodeBlockIndexEntry({ hash, stateRoot, logsBloom, logs }: BlockIndexEntry): Uint8Array {
  const marks = logs.map(({ address, topics }) => [address, ...topics.slice(0, 1)]);
  return encodeRlp([hash, stateRoot ?? EMPTY_BYTES, logsBloom ?? EMPTY_BYTES, marks]);
}

/** Returns the index record of the bytes. Throws `BlockRecordError` for malformed bytes. */
function decodeBlockIndexEntry(record: Uint8Array): BlockIndexEntry {
  const [hash, stateRoot, logsBloom, logs] = listOf(itemOf(record));
  const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes.length === 0 ? null : bytes);
  return {
    hash: bytesOf(hash),
    stateRoot: orNull(bytesOf(stateRoot)),
    logsBloom: orNull(bytesOf(logsBloom)),
    logs: listOf(logs).map((mark) => {
      const [address, ...topics] = listOf(mark).map(bytesOf);
      return { address: bytesOf(address), topics };
    }),
  };
}

/** Returns the index record of a block with the root of the state after it. */
function blockIndexEntryOf({ hash, header, receipts }: Block, stateRoot: Uint8Array | null): BlockIndexEntry {
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return { hash, stateRoot, logsBloom: logs.length > 0 ? header.logsBloom : null, logs };
}

const LINE = 'l';
const RANGE = 'r';

/**
 * The index records of a chain on disk: for each ordinary block the state after it and the properties its logs are
 * found by. States are kept with it.
 */
export class BlockIndexStore {
  readonly #store: DurableStore;
  readonly #states: StateStore;

  constructor(store: DurableStore, states: StateStore) {
    this.#store = store;
    this.#states = states;
  }

  #rootOf(state: WorldState): Uint8Array | null {
    return state.isKnown ? this.#states.keep(state) : null;
  }

  put(block: Block, state: WorldState): void {
    const record = blockIndexEntryOf(block, this.#rootOf(state));
    this.#store.put(numberKey(LINE, block.header.number), encodeBlockIndexEntry(record));
  }

  delete(number: number): void {
    this.#store.delete(numberKey(LINE, number));
  }

  /** Replaces the state after a block. Throws a `RangeError` when the block is missing. */
  replaceState(number: number, state: WorldState): void {
    const key = numberKey(LINE, number);
    const record = this.#store.getSync(key);
    if (record === undefined) throw new RangeError(`there is no block ${number}`);
    this.#store.put(
      key,
      encodeBlockIndexEntry({ ...decodeBlockIndexEntry(record), stateRoot: this.#rootOf(state) }),
    );
  }

  /** Returns a snapshot of the whole store. */
  frozen(): KeyValueStore {
    return this.#store.frozen();
  }

  /** Yields the records on disk, by the numbers of their blocks, ascending. */
  async *records(): AsyncGenerator<{ readonly number: number; readonly record: BlockIndexEntry }> {
    for await (const [key, value] of this.#store.entries(LINE)) {
      yield { number: numberOfKey(key), record: decodeBlockIndexEntry(value) };
    }
  }

  /** Returns the records of ranges of reserved blocks on disk, by the numbers of their first blocks. */
  async ranges(): Promise<ReadonlyMap<number, Uint8Array>> {
    const ranges = new Map<number, Uint8Array>();
    for await (const [key, value] of this.#store.entries(RANGE)) ranges.set(numberOfKey(key), value);
    return ranges;
  }
}
