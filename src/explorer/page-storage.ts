/**
 * Values that the browser keeps. Some browsers switch the storage off, or limit it. Then a value lasts until the
 * page is closed.
 */

/** How long the browser keeps a value: until it is deleted, or until the tab is closed. */
export type Lifetime = 'always' | 'tab';

function storageFor(lifetime: Lifetime): Storage {
  return lifetime === 'always' ? localStorage : sessionStorage;
}

/** Returns a kept value; `undefined` without one. Another version of the explorer can have kept other data. */
export function keptValue(lifetime: Lifetime, key: string): unknown {
  try {
    const text = storageFor(lifetime).getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    // The storage is switched off, or another program wrote the entry.
    return undefined;
  }
}

/** Keeps a JSON value; deletes it for `undefined`. */
export function keepValue(lifetime: Lifetime, key: string, value: unknown): void {
  try {
    const storage = storageFor(lifetime);
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is switched off or full.
  }
}
