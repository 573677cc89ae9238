interface Link<Item> {
  readonly item: Item;
  next: Link<Item> | null;
}

/** A first-in, first-out queue that can take over another queue in constant time. */
export class LinkedQueue<Item> {
  #first: Link<Item> | null = null;
  #last: Link<Item> | null = null;

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** The next item of {@link shift}, or `undefined`. */
  get first(): Item | undefined {
    return this.#first?.item;
  }

  push(item: Item): void {
    const link = { item, next: null };
    this.#append(link, link);
  }

  /** Removes and returns the first item, or `undefined`. */
  shift(): Item | undefined {
    const first = this.#first;
    if (first === null) return undefined;
    this.#first = first.next;
    if (first.next === null) this.#last = null;
    return first.item;
  }

  clear(): void {
    this.#first = null;
    this.#last = null;
  }

  /** Moves all items of the other queue to the end of this one. */
  takeAll(other: LinkedQueue<Item>): void {
    const first = other.#first;
    const last = other.#last;
    if (first === null || last === null) return;
    other.#first = null;
    other.#last = null;
    this.#append(first, last);
  }

  #append(first: Link<Item>, last: Link<Item>): void {
    if (this.#last === null) this.#first = first;
    else this.#last.next = first;
    this.#last = last;
  }
}
