import { hexKey } from '../primitives/hex.ts';
import { RecordSlabs } from './record-slabs.ts';

/** One write of a batch. */
export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A key-value store in memory or on disk. Each read sees all writes before it. */
export interface KeyValueStore {
  /** Returns the key for some bytes, at most 64; `kind` is one letter, by which keys differ from those for other things. */
  keyOf(kind: string, bytes: Uint8Array): string;
  /** Returns the value of a key, or `undefined`. */
  getSync(key: string): Uint8Array | undefined;
  /** Makes all the writes in order, or none. May keep the arrays. The writes can be read as soon as this returns. */
  batch(writes: Write[]): void;
  /** Closes the store; nothing may be read or written afterwards. */
  close(): Promise<void>;
}

/** Returns a key of readable characters, as stores on disk have them. */
export function readableKey(kind: string, bytes: Uint8Array): string {
  return kind + hexKey(bytes);
}

/** Bytes of a value that is kept as text, whose memory is its bytes and few more: most values are numbers of blocks. */
const SHORT_VALUE = 16;
/** Values are spread over so many maps, because a map of millions of keys takes long to grow, and cannot have more than 16 million; over few, as each is made with its first value. */
const MAPS = 16;

/** A short value as text, the place of a longer one in the slabs, or one that is too long for them. */
type Kept = string | number | Uint8Array;

/** A key-value store in the memory of the process. */
export class MemoryStore implements KeyValueStore {
  /** By the last character of the key, which is evenly distributed; each map is made when it is needed. */
  readonly #maps: Map<string, Kept>[] = [];
  #slabs = new RecordSlabs();
  #isOpen = true;
  /** The buffer in which keys are put together, since a text is made of few bytes in one step. */
  readonly #key = Buffer.alloc(65);

  keyOf(kind: string, bytes: Uint8Array): string {
    const key = this.#key;
    key[0] = kind.charCodeAt(0);
    key.set(bytes, 1);
    return key.toString('latin1', 0, 1 + bytes.length);
  }

  #mapOf(key: string): Map<string, Kept> {
    if (!this.#isOpen) throw new TypeError('the store is closed');
    const index = key.charCodeAt(key.length - 1) % MAPS;
    let map = this.#maps[index];
    if (map === undefined) {
      map = new Map();
      this.#maps[index] = map;
    }
    return map;
  }

  getSync(key: string): Uint8Array | undefined {
    const kept = this.#mapOf(key).get(key);
    if (typeof kept === 'number') return this.#slabs.read(kept);
    return typeof kept === 'string' ? bytesOfText(kept) : kept;
  }

  batch(writes: readonly Write[]): void {
    for (const write of writes) {
      const map = this.#mapOf(write.key);
      const before = map.get(write.key);
      if (typeof before === 'number') this.#slabs.remove(before);
      if (write.type === 'del') map.delete(write.key);
      else map.set(write.key, this.#keep(write.key, write.value));
    }
    this.#compact();
  }

  #keep(key: string, value: Uint8Array): Kept {
    if (value.length <= SHORT_VALUE) return textOfBytes(value);
    return key.length + value.length <= RecordSlabs.MOST_BYTES ? this.#slabs.add(key, value) : value;
  }

  /** Moves the records of a slab that has few. */
  #compact(): void {
    for (const { key, place, value } of this.#slabs.sparseRecords()) {
      const map = this.#mapOf(key);
      if (map.get(key) !== place) continue;
      map.set(key, this.#slabs.add(key, value));
      this.#slabs.remove(place);
    }
  }

  /** Returns all keys, in their order. */
  keys(): string[] {
    if (!this.#isOpen) throw new TypeError('the store is closed');
    return this.#maps.flatMap((map) => [...map.keys()]).sort();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#maps.length = 0;
    this.#slabs = new RecordSlabs();
  }
}

/** Returns a text of a character for each byte. */
function textOfBytes({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

/** Returns the bytes as a plain array, whose slices are copies, unlike those of a `Buffer`. */
function bytesOfText(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'latin1');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
