import type { Awaitable } from '../primitives/awaitable.ts';
import type { Method } from './method.ts';
import { Registry } from './registry.ts';
import { USUAL_METHODS } from './usual-methods.ts';

/** Finds methods by name. The whole method table is loaded when a client first calls an unusual method. */
export class MethodFinder {
  readonly #load: () => Promise<readonly Method[]>;
  #registry = new Registry(USUAL_METHODS);
  #isComplete = false;
  #loading: Promise<Registry> | null = null;

  constructor(load: () => Promise<readonly Method[]>) {
    this.#load = load;
  }

  /** The registry of the methods that are loaded. It is complete if {@link find} returns `undefined`. */
  get registry(): Registry {
    return this.#registry;
  }

  /**
   * Returns the method, or `undefined` if none has the name. While the table is loaded, returns a promise for
   * every name, so that calls keep their order.
   */
  find(name: string): Awaitable<Method | undefined> {
    if (this.#loading === null) {
      const method = this.#registry.byName.get(name);
      if (method !== undefined || this.#isComplete) return method;
    }
    return this.complete().then(({ byName }) => byName.get(name));
  }

  /** Resolves to the registry of all methods. */
  async complete(): Promise<Registry> {
    if (this.#isComplete) return this.#registry;
    this.#loading ??= this.#complete();
    return this.#loading;
  }

  async #complete(): Promise<Registry> {
    try {
      this.#registry = new Registry(await this.#load());
      this.#isComplete = true;
      return this.#registry;
    } finally {
      this.#loading = null;
    }
  }
}
