import { rememberNames } from './json-writer.ts';

/**
 * An object that grows by one member after the other, of which there may be very many: its names are known without listing them, which
 * takes tens of milliseconds for some ten thousand.
 */
export class JsonMembers<Value> {
  readonly #object: Record<string, Value> = {};
  readonly #names: string[] = [];

  /** Adds a member whose name none has yet. */
  add(name: string, value: Value): void {
    this.#names.push(name);
    this.#object[name] = value;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /** Returns the object, which must not change from now on. */
  finished(): Record<string, Value> {
    rememberNames(this.#object, this.#names);
    return this.#object;
  }
}
