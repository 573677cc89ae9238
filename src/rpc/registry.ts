import { MethodNotFoundError } from './errors.ts';
import type { Method } from './method.ts';

/** Thrown when two methods claim the same name: a mistake in the method table. */
export class DuplicateMethodError extends Error {
  override readonly name = 'DuplicateMethodError';
  constructor(method: string) {
    super(`the method table has the name ${method} twice`);
  }
}

/** The methods of a service, found by name or alias. */
export class Registry {
  /** In the order of the table, aliases left out. */
  readonly methods: readonly Method[];
  readonly #byName = new Map<string, Method>();

  /** Throws {@link DuplicateMethodError} when a name or alias comes twice. */
  constructor(methods: readonly Method[]) {
    this.methods = methods;
    for (const method of methods) {
      for (const name of [method.name, ...method.aliases]) {
        if (this.#byName.has(name)) throw new DuplicateMethodError(name);
        this.#byName.set(name, method);
      }
    }
  }

  /** The method of that name or alias, or `undefined`. */
  find(name: string): Method | undefined {
    return this.#byName.get(name);
  }

  /** The version of each namespace that has methods, as `rpc_modules` answers. */
  modules(): Readonly<Record<string, string>> {
    const namespaces = Array.from(this.#byName.keys(), (name) => name.split(/[._]/, 1).join(''));
    return Object.fromEntries(namespaces.sort().map((namespace) => [namespace, '1.0']));
  }
}

const NO_COMPILERS = 'the node has no compilers; compile with solc and send the code';
const NO_WHISPER = 'the Whisper protocol is not supported';
const NO_DATABASE = 'the methods of the local database are deprecated; keep such data in your own storage';

/** Names that a caller may try because other nodes had them, and why they are not served (service document). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...['eth_getCompilers', 'eth_compileLLL', 'eth_compileSolidity', 'eth_compileSerpent'].map(
    (name) => [name, NO_COMPILERS] as const,
  ),
  ...['db_putString', 'db_getString', 'db_putHex', 'db_getHex'].map((name) => [name, NO_DATABASE] as const),
]);

/** The error for a method that is not served, with the reason where the service document gives one. */
export function methodNotFound(method: string): MethodNotFoundError {
  const reason = method.startsWith('shh_') ? NO_WHISPER : REASONS.get(method);
  return new MethodNotFoundError(method, reason);
}
