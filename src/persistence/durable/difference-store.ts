// The states of a fork in a data directory.

import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { finish } from '../../primitives/steps.ts';
import type { Account } from '../../state/account.ts';
import { MissingRecordError } from '../../state/errors.ts';
import type { RecordStore, StateKeeper } from '../../state/state-store.ts';
import type { TrieLink } from '../../state/trie/trie-node.ts';
import type { WorldState } from '../../state/world-state.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { StateReader, StateWriter } from '../dump/state-json.ts';

/** The id of the upstream's unchanged state. */
const BASE_ID = new Uint8Array(32);

interface KeptState {
  readonly id: Uint8Array;
  readonly state: WorldState;
}

/**
 * States over an upstream state, in a store. Each is stored as the difference from the previously stored
 * state. Trie node hashes cannot be keys here. They do not distinguish a locally deleted account from an
 * account that is read from the upstream. Nothing is deleted.
 */
export class DifferenceStore implements StateKeeper {
  readonly isByRoot = false;
  readonly #records: RecordStore;
  readonly #writer = new StateWriter();
  readonly #reader = new StateReader();
  readonly #base: WorldState;
  readonly #ids = new WeakMap<TrieLink<Account>, Uint8Array>();
  /** Opened states, so that each need not be computed from the first one. Cleared on the first new state. */
  readonly #opened = new Map<string, WorldState>();
  #last: KeptState;

  /** `base` is the upstream's state. */
  constructor(records: RecordStore, base: WorldState) {
    this.#records = records;
    this.#base = base;
    this.#last = { id: BASE_ID, state: base };
  }

  /** @inheritdoc */
  keep(state: WorldState): Uint8Array {
    const { trie } = state;
    if (trie === null) return BASE_ID;
    const known = this.#ids.get(trie);
    if (known !== undefined) return known;
    // A new state means that the chain is open, so it references the states it needs.
    this.#opened.clear();
    const { codes, state: difference } = finish(this.#writer.difference(this.#last.state, state));
    const record = { from: toHex(this.#last.id), codes: codes.map(({ code }) => code), state: difference };
    const bytes = Buffer.from(JSON.stringify(record));
    const id = keccak256(bytes);
    this.#records.put(keyOf(id), bytes);
    this.#remember(id, state);
    return id;
  }

  #remember(id: Uint8Array, state: WorldState): void {
    if (state.trie !== null) this.#ids.set(state.trie, id);
    this.#last = { id, state };
  }

  /** @inheritdoc */
  open(id: Uint8Array): WorldState {
    const records: StrictValue[] = [];
    let next = id;
    let known = this.#known(next);
    while (known === undefined) {
      const record = this.#record(next);
      records.push(record);
      next = record.field('from').bytes(32);
      known = this.#known(next);
    }
    let state = known;
    for (const record of records.reverse()) state = this.#after(state, record);
    this.#opened.set(hexKey(id), state);
    this.#remember(id, state);
    return state;
  }

  #after(before: WorldState, record: StrictValue): WorldState {
    for (const code of record.field('codes').items()) this.#reader.addCode(code.bytes());
    return finish(this.#reader.apply(before, record.field('state')));
  }

  #known(id: Uint8Array): WorldState | undefined {
    return hexKey(id) === hexKey(BASE_ID) ? this.#base : this.#opened.get(hexKey(id));
  }

  #record(id: Uint8Array): StrictValue {
    const bytes = this.#records.getSync(keyOf(id));
    if (bytes === undefined) throw new MissingRecordError('state', id);
    return new StrictValue(JSON.parse(Buffer.from(bytes).toString()), `state ${toHex(id)}`);
  }
}

function keyOf(id: Uint8Array): string {
  return `d${hexKey(id)}`;
}
