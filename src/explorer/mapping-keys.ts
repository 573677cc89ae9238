/** The keys of mappings that a reader enters. */

/** A key in the parameter `page.keys` of `inspect_storage`. */
export type Key = string | boolean;

/** By full name of a mapping, the keys of the entries to list; each entry has the outermost key first. */
export type MappingKeys = Readonly<Record<string, readonly (readonly Key[])[]>>;

const SOLIDITY = /^mapping\((.+?) => (.+)\)$/;
const VYPER = /^HashMap\[(.+?), (.+)\]$/;

/** Returns the key types of a mapping, the outermost first; empty for other types. */
export function keyTypesOf(type: string): readonly string[] {
  const [, key, value] = SOLIDITY.exec(type) ?? VYPER.exec(type) ?? [];
  return key === undefined || value === undefined ? [] : [key, ...keyTypesOf(value)];
}

/** Returns the key of an entered text. Numbers stay texts, because they can exceed 2^53. */
export function keyOf(type: string, text: string): Key {
  if (type === 'string' || type.startsWith('String[')) return text;
  const key = text.trim();
  return type === 'bool' && (key === 'true' || key === 'false') ? key === 'true' : key;
}

/** Returns the keys with one more entry. */
export function withKey(keys: MappingKeys, variable: string, path: readonly Key[]): MappingKeys {
  const known = keys[variable] ?? [];
  const text = JSON.stringify(path);
  return known.some((one) => JSON.stringify(one) === text) ? keys : { ...keys, [variable]: [...known, path] };
}
