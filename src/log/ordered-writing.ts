/** Something that is written in its turn; `null` while it is waited for. */
interface Place {
  action: (() => void) | null;
}

/** Writes in the order in which things happened, also where one must be waited for. */
export class OrderedWriting {
  readonly #onError: (error: unknown) => void;
  /** Those that are not written yet; the first one is waited for. */
  #places: Place[] = [];
  /** Called when everything is written. */
  #ended: (() => void)[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls `action` at once, or after what is waited for. */
  write(action: () => void): void {
    if (this.#places.length === 0) action();
    else this.#places.push({ action });
  }

  /** Calls `action` with the value when it has come and everything before is written. Later writing waits for it. */
  writeWhen<Value>(value: Promise<Value>, action: (value: Value) => void): void {
    const place: Place = { action: null };
    this.#places.push(place);
    const take = (come: () => void): void => {
      place.action = come;
      this.#goOn();
    };
    value.then(
      (come) => take(() => action(come)),
      (error: unknown) => take(() => this.#onError(error)),
    );
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    if (this.#places.length > 0) await new Promise<void>((resolve) => this.#ended.push(resolve));
  }

  #goOn(): void {
    let written = 0;
    for (const { action } of this.#places) {
      if (action === null) break;
      written++;
      try {
        action();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#places = this.#places.slice(written);
    if (this.#places.length > 0) return;
    for (const end of this.#ended.splice(0)) end();
  }
}
