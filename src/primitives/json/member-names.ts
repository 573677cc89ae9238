/**
 * Listing the names of an object takes tens of milliseconds where it has some ten thousand members, as they are sorted by
 * when they were added. A caller that adds that many one after the other has the list already.
 */

/** An object of fewer members is listed fast. */
export const MANY_MEMBERS = 1_024;

const lists = new WeakMap<object, readonly string[]>();

/** Remembers the names of an object that never changes from now on, where they are many. */
export function rememberNames(object: object, names: readonly string[]): void {
  if (names.length >= MANY_MEMBERS) lists.set(object, names);
}

/** Returns the names of an object's members, as `Object.keys` does, where they are remembered. */
export function rememberedNames(object: object): readonly string[] | undefined {
  return lists.get(object);
}

/** Returns the names of an object's members, as `Object.keys` does. */
export function namesOf(object: object): readonly string[] {
  return lists.get(object) ?? Object.keys(object);
}
