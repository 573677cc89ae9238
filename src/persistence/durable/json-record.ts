import { DumpValue } from '../dump/dump-value.ts';

/** A value as the JSON text of a record. */
export function jsonRecord(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** The value of a record that {@link jsonRecord} made; `name` tells in errors which it is. Throws a `SyntaxError`. */
export function readJsonRecord(record: Uint8Array, name: string): DumpValue {
  return new DumpValue(JSON.parse(Buffer.from(record).toString()), name);
}
