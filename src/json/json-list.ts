/** Initial bytes of a part, and maximum bytes before a new part begins. */
const [MIN_PART, MAX_PART] = [2 ** 12, 2 ** 20];

const [OPEN, CLOSE, COMMA] = ['[', ']', ','];

/**
 * A list that stores the JSON of its items. Items as objects would take several times the time and memory,
 * because V8 copies them while the list grows.
 */
export class JsonList<Item = unknown> {
  /** Texts of whole items. V8 stores texts of this length outside its heap. */
  readonly #parts: string[] = [];
  /** The items of the current part, in Latin-1. */
  #bytes = Buffer.alloc(0);
  #size = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds an item as JSON, which must be ASCII. */
  add(json: string): void {
    if (this.#size + json.length >= this.#bytes.length) this.#makeRoom(json.length + 1);
    this.#size += this.#bytes.write(this.#size > 0 ? COMMA + json : json, this.#size, 'latin1');
    this.#length++;
  }

  /** Extends the JSON of the last item. The item is complete when the next one is added. */
  extend(json: string): void {
    if (this.#size + json.length > this.#bytes.length) this.#grow(json.length);
    this.#size += this.#bytes.write(json, this.#size, 'latin1');
  }

  #makeRoom(length: number): void {
    if (this.#size >= MAX_PART) {
      this.#parts.push(this.#running);
      this.#size = 0;
    }
    this.#grow(length);
  }

  #grow(length: number): void {
    const size = this.#size + length;
    if (size <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(MIN_PART, 2 * size));
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
  }

  get #running(): string {
    return this.#bytes.toString('latin1', 0, this.#size);
  }

  /** All parts; none is empty. */
  get #all(): string[] {
    return this.#size === 0 ? this.#parts : [...this.#parts, this.#running];
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

  /** Parses and returns the items. */
  values(): Item[] {
    return this.#all.flatMap((part) => JSON.parse(`${OPEN}${part}${CLOSE}`) as Item[]);
  }
}
