import { keyOf } from '../../primitives/hex.ts';
import { type Code, EMPTY_CODE } from '../account.ts';
import { MissingRecordError } from '../errors.ts';
import type { RecordStore } from './record-store.ts';

function codeKey(hash: Uint8Array): string {
  return `c${keyOf(hash)}`;
}

/** Code that is read when somebody looks at it. */
class StoredCode implements Code {
  readonly hash: Uint8Array;
  readonly #records: RecordStore;
  #bytes: Uint8Array | undefined;

  constructor(hash: Uint8Array, records: RecordStore) {
    this.hash = hash;
    this.#records = records;
  }

  /** Throws a {@link MissingRecordError}. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#records.getSync(codeKey(this.hash));
    if (this.#bytes === undefined) throw new MissingRecordError('code', this.hash);
    return this.#bytes;
  }
}

/** The codes of contracts in a store, by their hashes. */
export class CodeStore {
  readonly #records: RecordStore;
  /** What the store is known to have. */
  readonly #stored = new WeakSet<Code>([EMPTY_CODE]);

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Puts the code unless it is there. */
  keep(code: Code): void {
    if (this.#stored.has(code)) return;
    this.#stored.add(code);
    if (code.bytes.length > 0) this.#records.put(codeKey(code.hash), code.bytes);
  }

  /** The code with that hash, `null` for none. */
  open(hash: Uint8Array | null): Code {
    if (hash === null) return EMPTY_CODE;
    const code = new StoredCode(hash, this.#records);
    this.#stored.add(code);
    return code;
  }
}
