// The records on disk that restore each block's index entry when a chain is opened.

import { bigIntToBytes, EMPTY_BYTES, numberToBytes } from '../primitives/bytes.ts';
import {
  decodeRlp,
  decodeRlpField,
  encodeRlp,
  encodeRlpList,
  listPayload,
  RlpError,
  type RlpItem,
  rlpLength,
  rlpListLength,
  writeListPrefix,
  writeRlp,
} from '../primitives/rlp.ts';
import { ITEMS_PER_STEP, type Steps } from '../primitives/steps.ts';
import type { SealedBlock } from '../protocol/block.ts';
import { logsOf } from '../protocol/receipt.ts';
import type { StateKeeper } from '../state/state-store.ts';
import type { WorldState } from '../state/world-state.ts';
import type { DurableStore } from './durable-store.ts';
import { BlockRecordError } from './errors.ts';
import { type KeyValueStore, numberKey } from './key-value-store.ts';

/** Inverse of {@link numberKey}. */
function numberOfKey(key: string): number {
  return Number.parseInt(key.slice(1), 16);
}

/** Returns the fields that `read` decodes from a record. Throws {@link BlockRecordError} for invalid RLP. */
export function decodingRlp<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RlpError) throw new BlockRecordError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the RLP item of a record. Throws {@link BlockRecordError} for invalid RLP. */
export function itemOf(record: Uint8Array): RlpItem {
  return decodingRlp(() => decodeRlp(record));
}

/** Returns the field as bytes. Throws {@link BlockRecordError} if it is a list or missing. */
export function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new BlockRecordError('a record contains a list instead of bytes');
}

/** Returns the field as a list. Throws {@link BlockRecordError} if it is bytes or missing. */
export function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new BlockRecordError('a record contains bytes instead of a list');
}

export function integer(value: bigint | number): Uint8Array {
  return typeof value === 'number' ? numberToBytes(value) : bigIntToBytes(value);
}

/** The indexed properties of a log. */
export interface LogMarks {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes each. Topics after the first may be missing. */
  readonly topics: readonly Uint8Array[];
}

/** The data of a block that must be in memory when its chain is opened. */
export interface BlockIndexEntry {
  readonly hash: Uint8Array;
  /** 32 bytes: the state root after the block, which can differ from the header's; `null` if unknown. */
  readonly stateRoot: Uint8Array | null;
  /** `null` if the block has no logs. */
  readonly logsBloom: Uint8Array | null;
  readonly logs: readonly LogMarks[];
}

/** Encodes an index record. `marks` are already encoded, with only the first topic of each log. */
function encodeBlockIndexEntry(
  { hash, stateRoot, logsBloom }: Omit<BlockIndexEntry, 'logs'>,
  marks: Uint8Array,
): Uint8Array {
  const head = [hash, stateRoot ?? EMPTY_BYTES, logsBloom ?? EMPTY_BYTES];
  return encodeRlpList([...head.map(encodeRlp), marks]);
}

/** The marks of a block without logs. */
const NO_MARKS = encodeRlpList([]);

/** Work units per log. */
const MARK_WORK = 64;

/** Returns the bytes of a log's marks, without the list prefix. */
function markLength({ address, topics: [first] }: LogMarks): number {
  return rlpLength(address) + (first === undefined ? 0 : rlpLength(first));
}

/** Encodes the marks of all logs of a block for its index record. Yields between logs. */
export function* encodeMarks(block: SealedBlock): Steps<Uint8Array> {
  let [length, count] = [0, 0];
  for (const receipt of block.receipts) {
    for (const log of logsOf(receipt)) {
      length += rlpListLength(markLength(log));
      if (++count % ITEMS_PER_STEP === 0) yield MARK_WORK * ITEMS_PER_STEP;
    }
  }
  if (length === 0) return NO_MARKS;
  const marks = new Uint8Array(rlpListLength(length));
  let end = writeListPrefix(marks, 0, length);
  for (const receipt of block.receipts) {
    for (const log of logsOf(receipt)) {
      const [first] = log.topics;
      end = writeRlp(marks, writeListPrefix(marks, end, markLength(log)), log.address);
      if (first !== undefined) end = writeRlp(marks, end, first);
      if (++count % ITEMS_PER_STEP === 0) yield MARK_WORK * ITEMS_PER_STEP;
    }
  }
  return marks;
}

/** Returns the encoded marks of an index record, its last item, as a view. The logs are not decoded. */
function marksOf(record: Uint8Array, head: readonly Uint8Array[]): Uint8Array {
  const items = listPayload(record);
  return items.subarray(head.reduce((length, item) => length + rlpLength(item), 0));
}

/** Throws `BlockRecordError` for malformed bytes. */
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

const LINE = 'l';
const RANGE = 'r';

/** The index records on disk: state root and log marks of each ordinary block. It stores states too. */
export class BlockIndexStore {
  readonly #store: DurableStore;
  readonly #states: StateKeeper;

  constructor(store: DurableStore, states: StateKeeper) {
    this.#store = store;
    this.#states = states;
  }

  #rootOf(state: WorldState): Uint8Array | null {
    return state.isKnown ? this.#states.keep(state) : null;
  }

  /** `marks` is the result of {@link encodeMarks}. */
  put({ hash, header }: SealedBlock, marks: Uint8Array, state: WorldState): void {
    const logsBloom = marks === NO_MARKS ? null : header.logsBloom;
    const entry = { hash, stateRoot: this.#rootOf(state), logsBloom };
    this.#store.put(numberKey(LINE, header.number), encodeBlockIndexEntry(entry, marks));
  }

  delete(number: number): void {
    this.#store.delete(numberKey(LINE, number));
  }

  /** Replaces the state after a block. Throws a `RangeError` if the block is missing. */
  replaceState(number: number, state: WorldState): void {
    const key = numberKey(LINE, number);
    const record = this.#store.getSync(key);
    if (record === undefined) throw new RangeError(`there is no block ${number}`);
    const field = (place: number): Uint8Array => decodingRlp(() => decodeRlpField(record, [place]));
    const [hash, before, logsBloom] = [field(0), field(1), field(2)];
    const marks = marksOf(record, [hash, before, logsBloom]);
    this.#store.put(key, encodeBlockIndexEntry({ hash, stateRoot: this.#rootOf(state), logsBloom }, marks));
  }

  /** Returns a snapshot of the whole store. */
  frozen(): KeyValueStore {
    return this.#store.frozen();
  }

  /** Yields the records on disk by ascending block number. */
  async *records(): AsyncGenerator<{ readonly number: number; readonly record: BlockIndexEntry }> {
    for await (const [key, value] of this.#store.entries(LINE)) {
      yield { number: numberOfKey(key), record: decodeBlockIndexEntry(value) };
    }
  }

  /** Returns the records of reserved ranges on disk by the number of their first block. */
  async ranges(): Promise<ReadonlyMap<number, Uint8Array>> {
    const ranges = new Map<number, Uint8Array>();
    for await (const [key, value] of this.#store.entries(RANGE)) ranges.set(numberOfKey(key), value);
    return ranges;
  }
}
