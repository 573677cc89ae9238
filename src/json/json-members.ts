import { rememberNames } from './json-writer.ts';

/**
 * An object that grows member by member and keeps the list of its names. For large objects, `Object.keys`
 * would take tens of milliseconds.
 */
export class JsonMembers<Value> {
  readonly #object: Record<string, Value> = {};
  readonly #names: string[] = [];

  /** Adds a member. The name must be new. */
  add(name: string, value: Value): void {
    this.#names.push(name);
    this.#object[name] = value;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /** Returns the object. It must not change afterwards. */
  finished(): Record<string, Value> {
    rememberNames(this.#object, this.#names);
    return this.#object;
  }
}
