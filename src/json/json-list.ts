/** The bytes that a part begins with, and those from which on another part begins. */
const [SMALLEST_PART, LARGEST_PART] = [2 ** 12, 2 ** 20];

const [OPEN, CLOSE, COMMA] = ['[', ']', ','];

/**
 * A list that is kept as the JSON of its items. A long list of small objects that is made to be written takes several times the time and the
 * memory, most of it for V8 to copy them while it grows.
 */
export class JsonList<Item = unknown> {
  /** Texts of whole items. V8 keeps a text as long as these outside of its heap. */
  readonly #parts: string[] = [];
  /** The items of the part in hand, in Latin-1. */
  #bytes = Buffer.alloc(0);
  #size = 0;
  #length = 0;

  /** The number of items. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item by its JSON, which must be of ASCII characters. */
  add(json: string): void {
    if (this.#size + json.length >= this.#bytes.length) this.#makeRoom(json.length + 1);
    this.#size += this.#bytes.write(this.#size > 0 ? COMMA + json : json, this.#size, 'latin1');
    this.#length++;
  }

  /** Adds to the JSON of the last item, which may be long; it is complete when another item is added. */
  extend(json: string): void {
    if (this.#size + json.length > this.#bytes.length) this.#grow(json.length);
    this.#size += this.#bytes.write(json, this.#size, 'latin1');
  }

  #makeRoom(length: number): void {
    if (this.#size >= LARGEST_PART) {
      this.#parts.push(this.#inHand);
      this.#size = 0;
    }
    this.#grow(length);
  }

  #grow(length: number): void {
    const size = this.#size + length;
    if (size <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(SMALLEST_PART, 2 * size));
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
  }

  get #inHand(): string {
    return this.#bytes.toString('latin1', 0, this.#size);
  }

  /** The parts, each of which is not empty. */
  get #all(): string[] {
    return this.#size === 0 ? this.#parts : [...this.#parts, this.#inHand];
  }

  /** Yields the JSON of the list in consecutive parts. */
  *texts(): Generator<string, void, undefined> {
    yield OPEN;
    let isFirst = true;
    for (const part of this.#all) {
      if (!isFirst) yield COMMA;
      yield part;
      isFirst = false;
    }
    yield CLOSE;
  }

  /** Returns the items, made anew of their JSON. */
  values(): Item[] {
    return this.#all.flatMap((part) => JSON.parse(`${OPEN}${part}${CLOSE}`) as Item[]);
  }
}
