/**
 * Listing the names of an object takes tens of milliseconds where it has some ten thousand members, as they are sorted by
 * when they were added. A caller that adds that many one after the other has the list already.
 */

/** An object of fewer members is listed fast. */
export const MANY_MEMBERS = 1_024;

/** The key of the list in the object itself; it is not enumerable, so that no reader of the members sees it. */
const NAMES = Symbol('names of the members');

interface WithNames {
  readonly [NAMES]?: readonly string[];
}

/** Remembers the names of an object that never changes from now on, where they are many. */
export function rememberNames(object: object, names: readonly string[]): void {
  if (names.length >= MANY_MEMBERS) Object.defineProperty(object, NAMES, { value: names });
}

/** Returns the names of an object's members, as `Object.keys` does, where they are remembered. */
export function rememberedNames(object: WithNames): readonly string[] | undefined {
  return object[NAMES];
}

/** Returns the names of an object's members, as `Object.keys` does. */
export function namesOf(object: WithNames): readonly string[] {
  return object[NAMES] ?? Object.keys(object);
}
