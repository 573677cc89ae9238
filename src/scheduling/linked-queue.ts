interface Link<Item> {
  readonly item: Item;
  next: Link<Item> | null;
}

/** A queue, first in, first out, to which all that waits in another one is moved in constant time, however much that is. */
export class LinkedQueue<Item> {
  #first: Link<Item> | null = null;
  #last: Link<Item> | null = null;

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** The item that {@link shift} takes out next; `undefined` if there is none. */
  get first(): Item | undefined {
    return this.#first?.item;
  }

  /** Adds the item as the last one. */
  push(item: Item): void {
    const link = { item, next: null };
    this.#append(link, link);
  }

  /** Takes the first item out; `undefined` when there is none. */
  shift(): Item | undefined {
    const first = this.#first;
    if (first === null) return undefined;
    this.#first = first.next;
    if (first.next === null) this.#last = null;
    return first.item;
  }

  /** Drops all items. */
  clear(): void {
    this.#first = null;
    this.#last = null;
  }

  /** Moves all items of the other queue, which is empty then, behind those of this one. */
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
