import type { Block } from '../protocol/block.ts';
import type { StateStore } from '../state/stored/state-store.ts';
import type { WorldState } from '../state/world-state.ts';
import { numberKey, numberOfKey } from './block-number-key.ts';
import type { DurableStore } from './durable-store.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { decodeLineRecord, encodeLineRecord, type LineRecord, lineRecordOf } from './line-record.ts';

const LINE = 'l';
const RANGE = 'r';

/**
 * What a chain on disk needs besides its blocks to be opened again: for each block kept by itself the state after it and
 * what its logs are found by. States are kept with it.
 */
export class LineStore {
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
    const record = lineRecordOf(block, this.#rootOf(state));
    this.#store.put(numberKey(LINE, block.header.number), encodeLineRecord(record));
  }

  delete(number: number): void {
    this.#store.delete(numberKey(LINE, number));
  }

  /** Puts another state in the place of that after a block. Throws a `RangeError` when it is not there. */
  replaceState(number: number, state: WorldState): void {
    const key = numberKey(LINE, number);
    const record = this.#store.getSync(key);
    if (record === undefined) throw new RangeError(`there is no block ${number}`);
    this.#store.put(key, encodeLineRecord({ ...decodeLineRecord(record), stateRoot: this.#rootOf(state) }));
  }

  /** The whole store as it is now. */
  frozen(): KeyValueStore {
    return this.#store.frozen();
  }

  /** The records on disk, by the numbers of their blocks, ascending. */
  async *records(): AsyncGenerator<{ readonly number: number; readonly record: LineRecord }> {
    for await (const [key, value] of this.#store.entries(LINE)) {
      yield { number: numberOfKey(key), record: decodeLineRecord(value) };
    }
  }

  /** The records of ranges of reserved blocks on disk, by the numbers of their first blocks. */
  async ranges(): Promise<ReadonlyMap<number, Uint8Array>> {
    const ranges = new Map<number, Uint8Array>();
    for await (const [key, value] of this.#store.entries(RANGE)) ranges.set(numberOfKey(key), value);
    return ranges;
  }
}
