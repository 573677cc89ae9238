/** Reads what a node answers, whose version may be another one. */

/** Returns true for an object of JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text under a name; `null` where there is none. */
export function textIn(record: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
