/** Something that may change, and who is told when it has. Values are compared as JSON. */
export class Watched<Value> {
  readonly #read: () => Value;
  readonly #tell: (value: Value) => void;
  #known: string | null = null;

  constructor(read: () => Value, tell: (value: Value) => void) {
    this.#read = read;
    this.#tell = tell;
  }

  /** Takes what is there now for known. */
  begin(): void {
    this.#known = JSON.stringify(this.#read());
  }

  /** Stops looking until {@link begin}. */
  end(): void {
    this.#known = null;
  }

  /** Tells of the value if it is another than the one known, and knows it then. */
  look(): void {
    if (this.#known === null) return;
    const value = this.#read();
    const now = JSON.stringify(value);
    if (now === this.#known) return;
    this.#known = now;
    this.#tell(value);
  }
}
