/** Bytes of a chunk; the first ones are smaller, so that an arena of few bytes takes little. */
const CHUNK_SIZE = 256 * 1_024;
const FIRST_SIZE = 4_096;
/** Places are multiples of so many bytes, so that four bytes name those of gigabytes. */
const ALIGNMENT = 4;
const PLACES = CHUNK_SIZE / ALIGNMENT;

/**
 * Memory outside of the heap to which byte strings are only added. What was added stays readable for those that hold the arena, and
 * an arena that begins with a part of it shares that part's memory.
 */
export class Arena {
  readonly #chunks: Buffer[];
  /** The place behind what was added last. */
  #end: number;
  /** The bytes of the last chunk that are taken; all of them where another arena may add to the chunk. */
  #taken = CHUNK_SIZE;

  private constructor(chunks: Buffer[], end: number) {
    this.#chunks = chunks;
    this.#end = end;
  }

  /** Returns an arena without bytes, which takes no memory yet. */
  static empty(): Arena {
    return new Arena([], 0);
  }

  /** The place behind what was added last. */
  get end(): number {
    return this.#end;
  }

  /** Bytes of memory that the arena takes. */
  get size(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Returns an arena that has what was added to this one before its end was at a place. */
  until(end: number): Arena {
    return new Arena(this.#chunks.slice(0, Math.ceil(end / PLACES)), end);
  }

  /** Adds a copy of the bytes, which must be no more than some kilobytes; returns their place. */
  add(bytes: Uint8Array): number {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#taken + bytes.length > chunk.length) {
      chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_SIZE, FIRST_SIZE * 2 ** this.#chunks.length));
      this.#chunks.push(chunk);
      this.#taken = 0;
    }
    const first = (this.#chunks.length - 1) * PLACES;
    const place = first + this.#taken / ALIGNMENT;
    chunk.set(bytes, this.#taken);
    this.#taken += Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT;
    this.#end = first + this.#taken / ALIGNMENT;
    return place;
  }

  /** Returns the chunk that has the bytes at a place. Throws a `RangeError` where there are none. */
  chunkOf(place: number): Buffer {
    const chunk = this.#chunks[Math.floor(place / PLACES)];
    if (chunk === undefined) throw new RangeError(`nothing was added at ${place}`);
    return chunk;
  }

  /** Returns the offset of a place in its chunk. */
  static offsetOf(place: number): number {
    return (place % PLACES) * ALIGNMENT;
  }
}
