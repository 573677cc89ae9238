/** Bytes of a chunk. The first ones are smaller, so that a small arena takes little memory. */
const CHUNK_SIZE = 256 * 1_024;
const FIRST_SIZE = 4_096;
/** Places are multiples of this number of bytes, so that four bytes can address gigabytes. */
const ALIGNMENT = 4;
const PLACES = CHUNK_SIZE / ALIGNMENT;

/**
 * Append-only off-heap memory. Content stays readable while the arena is referenced. An arena can start with
 * a part of another one and share its memory.
 */
export class Arena {
  readonly #chunks: Buffer[];
  /** The place after the last addition. */
  #end: number;
  /** Used bytes of the last chunk; all of them if another arena may append to the chunk. */
  #taken = CHUNK_SIZE;

  private constructor(chunks: Buffer[], end: number) {
    this.#chunks = chunks;
    this.#end = end;
  }

  /** Returns an empty arena, which takes no memory yet. */
  static empty(): Arena {
    return new Arena([], 0);
  }

  /** The place after the last addition. */
  get end(): number {
    return this.#end;
  }

  /** Bytes of memory in use. */
  get size(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Returns an arena with the content up to this end. */
  until(end: number): Arena {
    return new Arena(this.#chunks.slice(0, Math.ceil(end / PLACES)), end);
  }

  /** Appends a copy of the bytes (a few kilobytes at most) and returns its place. */
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

  /** Returns the chunk of a place. Throws a `RangeError` for an invalid place. */
  chunkOf(place: number): Buffer {
    const chunk = this.#chunks[Math.floor(place / PLACES)];
    if (chunk === undefined) throw new RangeError(`nothing was added at ${place}`);
    return chunk;
  }

  static offsetOf(place: number): number {
    return (place % PLACES) * ALIGNMENT;
  }
}
